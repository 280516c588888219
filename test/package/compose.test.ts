import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { readDocument } from '../kit/docs/documents.ts';

interface Service {
  readonly image: string;
  readonly container_name: string;
  readonly restart: string;
  readonly read_only: boolean;
  readonly tmpfs: string;
  readonly cap_drop: readonly string[];
  readonly security_opt: readonly string[];
  readonly env_file: readonly { readonly path: string; readonly format: 'raw' }[];
  readonly volumes: readonly string[];
}

interface Compose {
  readonly services: { readonly changewire: Service };
  readonly volumes: Readonly<Record<string, { readonly name: string }>>;
}

it('the compose file runs the container as the docker command of the page does', () => {
  const compose: Compose = parse(readDocument('docs/self-hosting/compose.yaml'));
  const { changewire: service } = compose.services;
  const nameOf = (volume: string) =>
    volume.replace(/^\.\//, '/etc/changewire/').replace(/^\w+/, name => compose.volumes[name]?.name ?? name);
  const command = /docker run --detach ([^`]*?) \\\n {2}changewire\n/.exec(
    readDocument('docs/self-hosting.md'),
  )?.[1];
  const options = [
    `--name ${service.container_name} --restart ${service.restart}`,
    `${service.read_only ? '--read-only' : ''} --tmpfs ${service.tmpfs}`,
    ...service.cap_drop.map(capability => `--cap-drop ${capability}`),
    ...service.security_opt.map(option => `--security-opt ${option.replace(':true', '')}`),
    ...service.env_file.map(({ path }) => `--env-file /etc/changewire/${path}`),
    ...service.volumes.map(volume => `--volume ${nameOf(volume)}`),
  ];
  expect(options.join(' ')).toBe(command?.replaceAll(/ \\\n */g, ' '));
  expect(service.image).toBe('changewire');
});
