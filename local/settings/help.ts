import { eitherOf } from '../../functions/basics/names-in-words.ts';
import { KIND_NAMES, KIND_SETTINGS, KINDS } from '../../functions/model/kinds.ts';
import { CONSOLE_OPTIONS } from './console-options.ts';
import { optionOf } from './endpoint-options.ts';
import { variableOf } from './wanted-endpoints.ts';

const CHATS = KIND_NAMES.filter(kind => KINDS[kind].queue === 'chat');

function line(option: string, text: string): string {
  return `  ${option.padEnd(24)}${text}\n`;
}

function settingLine({ name, kinds, what, choices, range }: (typeof KIND_SETTINGS)[number]): string {
  const allowed = choices ? `: ${eitherOf(choices)}` : range ? `: ${range.join(' to ')}` : '';
  return line(
    `--${optionOf({ name })} ${range ? 'N' : 'VALUE'}`,
    `for the preceding ${kinds.length > 1 ? 'chat' : `--${kinds[0]}`}, ${what}${allowed}`,
  );
}

export const HELP = `Changewire watches processes, projects and tasks, and sends each change as an event.

Usage
  npx changewire start                    try it with a simulated service that keeps changing
  npx changewire start --webhook URL      send events to your HTTP endpoint, signed by Standard Webhooks
  npx changewire start --subscribe URL    send events in the format of Amazon SNS

To watch your own workspaces, run "npx changewire init". It writes changewire.json, which start reads from the current
folder. Or, for a single workspace without the file, set these variables in the environment or in .env:
  SERVICE_BASE_URL        the base URL of the API, such as https://api.example.com/v1 (http only on this machine)
  SERVICE_AUTH_URL        the auth server, such as https://auth.example.com
  SERVICE_AUDIENCE        the audience of your credentials
  SERVICE_CLIENT_ID       your client id
  SERVICE_CLIENT_SECRET   your client secret
  SERVICE_PROCESSES       comma-separated process ids

Options
  --subscribe URL         send events to this HTTP endpoint in the format of Amazon SNS, once it confirms the
                          subscription (repeatable)
  --raw                   send these endpoints the raw event, without the SNS envelope
  --webhook URL           send events to this HTTP endpoint, signed by Standard Webhooks (repeatable);
                          https, or http of this machine. Other users of this machine can see URL and KEY in the process
                          list: use - to read them from stdin, one per line, or set the variable
  --webhook-secret KEY    signing secret (whsec_…) for the preceding --webhook; two during a rotation (default:
                          WEBHOOK_SECRET of the environment, or generated and kept in the data directory)
  --header "NAME: VALUE"  send this header with each request to the preceding endpoint (repeatable, up to 10); use - as
                          for --webhook
${CHATS.map(kind => line(`--${kind} URL`, `send messages to ${KINDS[kind].what}`)).join('')}\
                          (without URL: ${CHATS.map(variableOf)[0]} of the environment, and likewise for each)
${KIND_SETTINGS.map(settingLine).join('')}\
  --name NAME             name of the preceding endpoint
  --filter KEY=A,B        send the preceding endpoint only events whose KEY is A or B; with several keys, all must
                          match. KEY is events, workspaces, processes, projects or fields; from:FIELD, to:FIELD,
                          added:FIELD or removed:FIELD for the values of a field; actors for the users who made the
                          change, by id or name; exceptActors skips changes made only by A or B;
                          where has JSON instead of A,B (docs/filters.md)
  --resend NAME           resend the dead letters of this endpoint (repeatable)
  --config FILE           watch the workspaces and serve the endpoints of this JSON file (docs/configuration.md);
                          secrets come from the environment or .env (default: changewire.json, if present)
  --interval 60s          how often to poll for changes (default: 60s; simulated service: 2s). 10s-5m: poll 10 s after a
                          change, then back off to 5 min
  --sweep-interval 6h     how often to re-read everything, to catch what the API missed
  --overlap 120s          how far back each poll overlaps the previous one, for late updates
  --data DIR              where to keep the data; a restart resumes from there
                          (default: .changewire; simulated service: .changewire/simulated)
  --memory                keep nothing on exit
  --once                  poll once, deliver all events and exit (exit code 1 after a failure, or if an event is
                          undelivered: the next start retries it)
  --json                  print each event as one line of JSON on stdout, everything else on stderr
  --log json              write the log as lines of JSON (default: text); without --json it includes the events
  --health PORT           serve GET http://127.0.0.1:PORT/healthz (default: 8321): 200 if healthy, 503 if something is
                          late, with details as JSON; /metrics beside it for Prometheus
  --heartbeat URL         send a GET to this URL each minute while /healthz would answer 200, for a monitor; use - as
                          for --webhook, or omit URL to use HEARTBEAT_URL of the environment
${Object.entries(CONSOLE_OPTIONS)
  .map(([name, { value, text }]) => line(`--${name} ${value}`, text))
  .join('')}\
  --no-console            disable the web console (docs/console.md), unless one of these is given
  --help                  show this help

Durations: 500ms, 60s, 5m, 6h. Ctrl-C stops; a second Ctrl-C stops at once.
To back up the data directory, also while it is in use: npx changewire backup DIR
`;
