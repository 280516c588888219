/**
 * Runs Changewire in a network namespace that has a receiver at the address of the host `n8n`, as two containers of a
 * Compose network, and prints what came of two deliveries: one to a host that `networks` names, one to another.
 * @param argv a directory for the run
 */
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { startSimulatedService } from '../../../simulator/server.ts';
import { begin } from './run.ts';

const [directory = '', address = ''] = process.argv.slice(2);
const received: string[] = [];
const receiver = createServer(async (request, response) => {
  received.push(`${request.headers.host} ${JSON.parse(await text(request)).type}`);
  response.end();
});
await new Promise<void>(resolve => receiver.listen(5678, address, resolve));

const service = await startSimulatedService();
const { baseUrl, authUrl, audience, clientId, clientSecret, workspace } = service;
const [id = ''] = workspace.processes();
const run = async (networks: readonly string[]) => {
  const file = join(directory, 'changewire.json');
  const workspaces = [{ name: 'eu', baseUrl, authUrl, audience, processes: [{ id }] }];
  writeFileSync(
    file,
    JSON.stringify({ networks, workspaces, endpoints: [{ name: 'flow', kind: 'webhook' }] }),
  );
  const secrets = { EU_CLIENT_ID: clientId, EU_CLIENT_SECRET: clientSecret };
  const url = 'http://n8n:5678/webhook';
  const { ended, stdout, stderr } = begin(directory, `--once --config ${file}`, {
    ...secrets,
    ENDPOINT_FLOW_URL: url,
  });
  return { code: await ended(), said: stdout() + stderr() };
};
const refused = await run([]);
const first = await run(['n8n']);
workspace.createProject(id, { name: 'Acme' });
const second = await run(['n8n']);
await service.stop();
receiver.close();
process.stdout.write(JSON.stringify({ refused, codes: [first.code, second.code], received }));
