import assert from 'node:assert/strict';
import { CreateEmailIdentityCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import * as z from 'zod';
import { MAIL_IDENTITY } from '../config.ts';
import { CREDENTIALS, REGION } from '../emulator/environment.ts';
import { until } from '../until.ts';
import { untilTold, type World } from '../world.ts';

const NAME = 'board';
const MINUTE_MS = 60_000;
/** After this time the route function has read the endpoints again. */
const KNOWN_MS = 12_000;
const sent = z.object({
  /** By account. */
  messages: z.record(
    z.string(),
    z.array(
      z.looseObject({
        Source: z.string(),
        To: z.array(z.string()),
        Subject: z.string(),
        BodyHtml: z.string(),
      }),
    ),
  ),
});

/** An endpoint of kind `email` that no deployment knows, and the digest of what is edited. @returns the check that it came */
export async function mails(world: World): Promise<() => Promise<void>> {
  const { report, operators, edits, aws } = world;
  const { act } = await operators();
  report.part('Mails');
  // Far enough ahead that all functions know the endpoint before.
  const at = new Date(Math.ceil((Date.now() + 1.5 * MINUTE_MS) / MINUTE_MS) * MINUTE_MS);
  const digest = `${at.toISOString().slice(11, 16)} UTC`;
  const [from, to] = [`changes@${MAIL_IDENTITY}`, 'ann@example.com, team@example.com'];
  await act.ask({ operation: 'add-endpoint', endpoint: NAME, kind: 'email', url: 'ses:', from, to, digest });
  const test = () => act.ask({ operation: 'test-endpoint', endpoint: NAME });
  await report.check('SES refuses a sender that is not verified: the answer says what to do', async () => {
    assert.match((await test()).failure ?? '', /verify the identity/);
  });
  const ses = new SESv2Client({ endpoint: aws.endpoint, region: REGION, credentials: CREDENTIALS });
  await ses.send(new CreateEmailIdentityCommand({ EmailIdentity: MAIL_IDENTITY }));
  ses.destroy();
  await report.check('a test is sent at once, from the configured identity', async () => {
    assert.equal((await test()).failure, undefined);
    const [mail] = await sentMails(aws.endpoint);
    assert.deepEqual(
      [mail?.Source, mail?.To, mail?.Subject],
      [`Changewire <${from}>`, ['ann@example.com', 'team@example.com'], 'This is a test'],
    );
  });
  await report.check('from any other the stack may not send', async () => {
    await act.ask({ operation: 'update-endpoint', endpoint: NAME, from: 'changes@other.example.com' });
    assert.match((await test()).failure ?? '', /add its identity to "emailIdentities"/);
    await act.ask({ operation: 'update-endpoint', endpoint: NAME, from });
  });
  const before = (await sentMails(aws.endpoint)).length;
  const known = Date.now() + KNOWN_MS;
  let edit = 0;
  await until(40, async () => {
    const began = Date.now();
    edits.updateEach('note', `for-the-digest-${edit++}`);
    await untilTold(world, 60, 'start');
    assert.ok(began > known, 'the route function may not know the endpoint yet');
  });
  assert.equal((await sentMails(aws.endpoint)).length, before, 'a digest came before its time');
  return async () => {
    await report.check('the digest is one mail, at its time', () =>
      until(180, async () => {
        const digests = (await sentMails(aws.endpoint)).slice(before);
        assert.ok(Date.now() >= at.getTime());
        assert.equal(digests.length, 1);
        assert.match(digests[0]?.Subject ?? '', /^\d+ changes in \d+ projects$/);
        assert.match(digests[0]?.BodyHtml ?? '', /for-the-digest/);
      }),
    );
    await act.ask({ operation: 'remove-endpoint', endpoint: NAME });
  };
}

/** What the emulator has sent, in order. */
async function sentMails(endpoint: string) {
  const response = await fetch(`${endpoint}/_ministack/ses/messages`);
  return Object.values(sent.parse(await response.json()).messages).flat();
}
