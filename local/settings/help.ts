import { eitherOf } from '../../functions/basics/names-in-words.ts';
import { KIND_NAMES, KIND_SETTINGS, KINDS } from '../../functions/model/kinds.ts';
import { optionOf } from './endpoint-options.ts';
import { variableOf } from './wanted-endpoints.ts';

const CHATS = KIND_NAMES.filter(kind => KINDS[kind].queue === 'chat');

function line(option: string, text: string): string {
  return `  ${option.padEnd(24)}${text}\n`;
}

function settingLine({ name, kind, what, choices }: (typeof KIND_SETTINGS)[number]): string {
  const allowed = choices ? `: ${eitherOf(choices)}` : '';
  return line(`--${optionOf({ name })} VALUE`, `of the --${kind} before it, ${what}${allowed}`);
}

export const HELP = `Changewire watches processes, projects and tasks, and sends each change as an event.

Usage
  npx changewire start                    try it: a simulated service that goes on changing
  npx changewire start --webhook URL      send the events to your own HTTP endpoint, signed by Standard Webhooks
  npx changewire start --subscribe URL    send them as Amazon SNS does

To watch your own workspaces, have npx changewire init write a configuration file, changewire.json. Where the current
folder has one, it is taken, and SERVICE_* is not used. One workspace needs no file: set these, in the environment or
in a file named .env:
  SERVICE_BASE_URL        the API's address, such as https://api.example.com/v1 (http only on this machine)
  SERVICE_AUTH_URL        where tokens come from, such as https://auth.example.com
  SERVICE_AUDIENCE        the audience that goes with your credentials
  SERVICE_CLIENT_ID       your client id
  SERVICE_CLIENT_SECRET   your client secret
  SERVICE_PROCESSES       the ids of the processes to watch, with commas between

Options
  --subscribe URL         send events to this HTTP endpoint, as Amazon SNS does: it is asked to confirm first
                          (repeat the option for several)
  --raw                   send these endpoints the bare event, without SNS's envelope
  --webhook URL           send events to this HTTP endpoint, signed by Standard Webhooks (repeat it for several);
                          an https URL, or an http URL of this machine
  --webhook-secret KEY    sign those of the --webhook before it with this whsec_…; give two while you change it.
                          Without one the WEBHOOK_SECRET of the environment signs, or else a secret that is made
                          for you and kept in the data directory
${CHATS.map(kind => line(`--${kind} URL`, `send messages to ${KINDS[kind].what}`)).join('')}\
                          (alone, it takes ${eitherOf(CHATS.map(variableOf))} of the environment)
${KIND_SETTINGS.map(settingLine).join('')}\
                          Other users of this machine see URL and KEY in its list of processes. Give - for any of
                          them to have it read from stdin, a line for each; or set the variable that is named here
  --name NAME             call the endpoint before it so, in all that is said of it
  --filter KEY=A,B        send the endpoint before it only events of which KEY is A or B; several keys: that fit all.
                          KEY is events, workspaces, processes, projects or fields; or, of a field's values, from:FIELD,
                          to:FIELD, added:FIELD or removed:FIELD; or actors, those who made the change, by id or name;
                          exceptActors leaves out what only A or B, such as an integration, did
  --resend NAME           send the dead letters of that endpoint again (repeat it for several)
  --config FILE           watch the workspaces of this JSON file, and serve its endpoints (docs/configuration.md);
                          what is secret comes from the environment or .env. Without it, changewire.json of the
                          current folder is taken, if there is one
  --interval 60s          how often to look for changes (60s; the simulated service: 2s). 10s-5m: 10 s after some were
                          found, then after twice as long each time, up to 5 min
  --sweep-interval 6h     how often to read everything again, which finds what the API didn't tell
  --overlap 120s          how far back to look again each time, for updates that come late
  --data DIR              where to keep what is known, so that a restart goes on from there
                          (.changewire; the simulated service: .changewire/simulated)
  --memory                keep nothing after the end
  --once                  look once, deliver all events, end (exit code 1 if that failed, or if an event is
                          undelivered after its first attempt: the next start goes on with it)
  --json                  print each event as one line of JSON on stdout, and all else on stderr
  --log json              write all else as lines of JSON, too (text); without --json the events are among them
  --health PORT           answer GET http://127.0.0.1:PORT/healthz (8321): 200 when all is well, 503 when something is
                          late, and what, as JSON
  --no-console            without the console, the page that shows what happens (docs/console.md)
  --help                  print this

Durations are written 500ms, 60s, 5m or 6h. Ctrl-C stops; a second Ctrl-C stops at once.
A backup of the data directory, also while it is in use: npx changewire backup DIR
`;
