import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { resolveBySystem } from '../../functions/basics/proxy.ts';
import { outcomeOf } from '../../functions/delivery/http/outcome.ts';
import { createPoster, type Poster, TIMEOUT_MS } from '../../functions/delivery/http/post.ts';
import { webhookRequest } from '../../functions/delivery/webhook/webhook.ts';
import { type ChangeEvent, type SentEvent, sentSchemas } from '../../functions/model/event.ts';
import { wants } from '../../functions/model/filter.ts';
import { follow } from '../../functions/operations/follow.ts';
import { didYouMean } from '../../functions/operations/refused.ts';
import { packageFile } from '../../local/basics/package-file.ts';
import { UsageError } from '../../local/basics/usage-error.ts';
import { checkAddress, checkSecret, filterOption } from '../../local/settings/endpoint-options.ts';
import { type Context, Failed } from '../context/context.ts';
import type { Cli } from '../context/runner.ts';
import { each, timeOf } from '../options/parsers.ts';
import { paint, text } from '../show/display.ts';
import { took } from '../show/times.ts';
import { examples } from './example.ts';

interface Options {
  readonly forwardTo: string;
  readonly filter?: readonly string[];
  readonly since?: string;
  readonly secret?: string;
  readonly example?: string | true;
}

export function listenCommand(program: Command, { run, world }: Cli): void {
  program
    .command('listen')
    .description('post events to a server on this machine, signed, without adding an endpoint')
    .requiredOption('--forward-to <url>', 'the server, such as http://localhost:3000/events')
    .option('--filter <key=a,b>', 'only events that match, as for start; repeatable', each)
    .option('--since <time>', 'also the events since a time, a date, or an age', timeOf(world.clock))
    .option(
      '--secret <whsec>',
      'signing secret; - reads it from stdin or a prompt (default: WEBHOOK_SECRET, or generated)',
    )
    .option('--example [type]', 'post an example of this event type, or of each, and end')
    .addHelpText(
      'after',
      examples(
        'listen --forward-to http://localhost:3000/events',
        'listen --forward-to http://localhost:3000/events --filter events=task.updated --since 1h',
        'listen --forward-to http://localhost:3000/events --example task.updated',
      ),
    )
    .action(
      run(async (context, { forwardTo, filter: given = [], since, example, ...options }: Options) => {
        const url = checkAddress('--forward-to', forwardTo);
        const filter = given.length > 0 ? filterOption(given) : {};
        if (example !== undefined && (given.length > 0 || since !== undefined))
          throw new UsageError('--example cannot be combined with --filter or --since.');
        const found = example === undefined ? undefined : examplesOf(example);
        const secret = await secretFor(options.secret ?? newestOf(world.env.WEBHOOK_SECRET), context);
        const forward = forwarder(context, url, secret);
        try {
          if (found) return await forwardExamples(found, forward.post);
          context.print.note(`Forwarding events to ${new URL(url).origin}. Press Ctrl-C to end.`);
          const { ask, clock, sleep, interrupted } = context;
          for await (const { event } of follow({ since }, { ask, clock, sleep, signal: interrupted })) {
            // Not validated again: a newer version that committed it may have more types.
            const known = event as unknown as ChangeEvent;
            if (wants(filter, known)) await forward.post(known);
          }
        } finally {
          await forward.close();
        }
      }),
    );
}

/** @throws UsageError for an unknown type */
function examplesOf(type: string | true): SentEvent[] {
  const types = Object.keys(sentSchemas);
  if (type !== true && !types.includes(type))
    throw new UsageError(
      `--example: unknown event type.${didYouMean(type, types) || ` Known types: ${types.join(', ')}.`}`,
    );
  return (type === true ? types : [type]).map(name => {
    const file = packageFile(`docs/examples/${name}.json`);
    if (file === undefined) throw new Error(`docs/examples/${name}.json is missing: reinstall the package`);
    return JSON.parse(readFileSync(file, 'utf8')) as SentEvent;
  });
}

/** @throws Failed unless the server accepted each */
async function forwardExamples(
  events: readonly SentEvent[],
  post: (event: SentEvent) => Promise<boolean>,
): Promise<void> {
  let isAccepted = true;
  for (const event of events) isAccepted = (await post(event)) && isAccepted;
  if (!isAccepted) throw new Failed();
}

/** A variable may have two secrets during a rotation, the new one first, as `start` reads it. */
const newestOf = (secrets: string | undefined) => secrets?.split(',')[0]?.trim();

/** The secret that was given, or a new one, which is printed. @throws UsageError if it can't sign */
async function secretFor(given: string | undefined, { input, print }: Context): Promise<string> {
  if (given) {
    const secret = given === '-' ? await input.secret('The signing secret') : given;
    return checkSecret('The signing secret', secret);
  }
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  print.note(`Signing secret: ${secret} (set WEBHOOK_SECRET to use the same one each time)`);
  return secret;
}

/** The pauses before an event is sent again: a server that is being restarted is back within seconds. */
const PAUSES_MS = [1_000, 3_000];

/** Posts events one after another, and prints each attempt. `post` returns whether the server accepted it. */
function forwarder({ clock, sleep, interrupted, print }: Context, url: string, secret: string) {
  const poster: Poster = createPoster({
    ...{ allowLoopback: true, resolve: resolveBySystem, timeout: TIMEOUT_MS, clock },
  });
  const attempt = async (event: SentEvent) => {
    const began = clock();
    const request = webhookRequest({ id: event.id, body: JSON.stringify(event) }, [secret], began);
    const answer = await poster.post(url, request);
    const outcome = outcomeOf(answer, { url, secrets: [secret] });
    const { type, subject, id } = event;
    const { reason, quote } = outcome.kind === 'delivered' ? {} : outcome;
    const status = 'status' in answer ? answer.status : undefined;
    const ms = clock() - began;
    print.answer({ id, type, subject, status, failure: reason, answer: quote, took: ms }, display => {
      const answered = quote === undefined ? '' : `: ${quote}`;
      const result = paint(
        display,
        reason ? 'red' : 'green',
        text`${reason ?? `answered ${status}`}${answered}`,
      );
      const about = text`${type}  ${subject ?? ''}`.trimEnd();
      return `${result} in ${took(ms)}  ${about}  ${paint(display, 'dim', text`${id}`)}`;
    });
    return reason === undefined;
  };
  return {
    close: () => poster.close(),
    async post(event: SentEvent): Promise<boolean> {
      for (const pause of PAUSES_MS) {
        if (await attempt(event)) return true;
        await sleep(pause, interrupted).catch(() => undefined);
        if (interrupted.aborted) return false;
      }
      return attempt(event);
    },
  };
}
