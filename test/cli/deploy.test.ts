import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Program } from '../../cli/deploy/execute.ts';
import { run, type Setting } from '../kit/cli/world.ts';
import { config } from '../kit/infra/config-examples.ts';
import { temporaryDirectory } from '../kit/temporary.ts';

const STACKS = [
  { stackName: 'Eu', region: 'eu-central-1', ...config() },
  { stackName: 'Us', region: 'us-east-1', ...config() },
];

/** A folder with `changewire.json` and, with two stacks, `stacks.json`. */
function folder(): string {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'changewire.json'), `// Ours.\n${JSON.stringify(config())}`);
  writeFileSync(join(directory, 'stacks.json'), JSON.stringify(STACKS));
  return directory;
}

/** Runs a command whose CDK ends with `code`; tells how the CDK was started. */
async function deploying(line: string, { code = 0, ...setting }: Setting & { code?: number } = {}) {
  const directory = setting.directory ?? folder();
  const started: Program[] = [];
  const execute = async (program: Program) => {
    started.push(program);
    return code;
  };
  const told = await run(line.split(' '), { directory, execute, ...setting });
  return { ...told, directory, started };
}

/** The part of the CDK's command line that differs between commands. */
function own({ command }: Program) {
  const [program, ...args] = command;
  expect(program).toMatch(/node_modules\/aws-cdk\/bin\/cdk$/);
  const at = args.indexOf('--app');
  expect(args.slice(at + 1, at + 6)).toEqual([
    expect.stringMatching(/^"\S+" "\S+\/cli\/deploy\/app\.ts" changewire$/),
    ...['--output', 'cdk.out', '--no-version-reporting', '--no-notices'],
  ]);
  return [...args.slice(0, at), ...args.slice(at + 6)].join(' ');
}

describe('changewire deploy', () => {
  it('deploys the three stacks of changewire.json, and says what is next', async () => {
    const { code, out, err, started, directory } = await deploying('deploy --yes');
    expect([code, err, started.length]).toEqual([0, '', 1]);
    const [program] = started as [Program];
    const stacks = 'Changewire-Table Changewire Changewire-Subscriptions';
    expect(own(program)).toBe(`deploy ${stacks} --require-approval never`);
    expect(program.variables).toEqual({ CHANGEWIRE_CONFIG: `${directory}/changewire.json#Changewire` });
    expect(out).toBe(
      'Deployed Changewire. Next steps:\n' +
        '  1. Store the credentials in the secret changewire/eu, if not done yet (docs/deploying.md, step 4)\n' +
        '  2. npx changewire status --stack Changewire\n',
    );
  });

  it('deploys one stack of a list, by its name, and hands on what stands behind --', async () => {
    const { started, out, directory } = await deploying('deploy --config stacks.json#Us --yes -- --verbose');
    const [program] = started as [Program];
    expect(own(program)).toBe('deploy Us-Table Us Us-Subscriptions --require-approval never --verbose');
    expect(program.variables).toEqual({ CHANGEWIRE_CONFIG: `${directory}/stacks.json#Us` });
    expect(out).toContain('npx changewire status --stack Us --region us-east-1');
  });

  it('leaves the question to the CDK, at a terminal', async () => {
    const { started } = await deploying('deploy', { says: false });
    expect(started.map(own)).toEqual(['deploy Changewire-Table Changewire Changewire-Subscriptions']);
  });

  it.each(['deploy --yes', 'destroy --yes'])('fails as the CDK does, with what helps: %s', async line => {
    const { code, out, err } = await deploying(line, { code: 100 });
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(
      /^The CDK command for Changewire failed; .*\n.* AWS_PROFILE\n.*npx cdk bootstrap aws:\/\/ACCOUNT\/REGION, .*\n$/,
    );
  });

  it('ends as interrupted when somebody ends it', async () => {
    const interrupted = AbortSignal.abort();
    expect(await deploying('deploy --yes', { code: 1, interrupted })).toMatchObject({ code: 130, err: '' });
  });
});

describe('changewire destroy', () => {
  it('destroys all but the table, after a yes', async () => {
    const { code, out, err, started } = await deploying('destroy', { says: true });
    expect([code, started.map(own)]).toEqual([0, ['destroy Changewire-Subscriptions Changewire --force']]);
    expect(err).toBe(
      'Would destroy Changewire and its subscriptions; polling and delivery stop. ' +
        'The data in Changewire-Table would be kept: the next "npx changewire deploy" continues from there.\nContinue?\n',
    );
    expect(out).toMatch(/^Destroyed Changewire and its subscriptions\. .*-Table is kept: /);
  });

  it('asks nothing with --yes, and does nothing after a no', async () => {
    const yes = await deploying('destroy --config stacks.json#Eu --yes');
    expect([yes.err, yes.started.map(own)]).toEqual(['', ['destroy Eu-Subscriptions Eu --force']]);
    const no = await deploying('destroy', { says: false });
    expect([no.code, no.out, no.started]).toEqual([1, '', []]);
    expect(no.err).toMatch(/Cancelled\.\n$/);
  });
});

describe('changewire synth', () => {
  it('makes every stack of the file, or the one that is named', async () => {
    const { started, out } = await deploying('synth --config stacks.json');
    expect(started.map(own)).toEqual(['synth --quiet']);
    const stacks = 'Eu-Table, Eu, Eu-Subscriptions, Us-Table, Us, Us-Subscriptions';
    expect(out).toBe(`Wrote the templates of ${stacks} to cdk.out.\n`);
    expect((await deploying('synth --config stacks.json#Us')).out).toContain('of Us-Table, Us,');
  });
});

describe.each(['synth', 'deploy', 'destroy'])('changewire %s', command => {
  it('names each mistake of the file before the CDK is started', async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'changewire.json'), JSON.stringify(config({ swep: '6h' })));
    const { code, err, started } = await deploying(`${command}`, { directory, says: true });
    expect([code, started]).toEqual([2, []]);
    expect(err).toMatch(/^changewire: \S+\/changewire\.json:\n {2}- swep: unknown key/);
  });

  it.each([
    ['--config other.json', /^changewire: Could not read \S+other\.json \(ENOENT\)/],
    ['--config stacks.json#Asia', /has no stack of that name\. Name one: .*stacks\.json#Eu/],
    ['--stack S', /--stack is not supported by this command\. The configuration file names the stack/],
    ['--region r', /--region is not supported by this command/],
    ['stacks.json', /Use --config FILE for the configuration\. Put arguments for cdk after --\./],
  ])('refuses "%s"', async (line, message) => {
    const { code, out, err, started } = await deploying(`${command} ${line}`, { says: true });
    expect([code, out, started]).toEqual([2, '', []]);
    expect(err).toMatch(message);
  });

  it('says where a file may come from, when there is none', async () => {
    const { code, err } = await deploying(command, { directory: temporaryDirectory() });
    expect([code, err]).toEqual([
      2,
      'changewire: changewire.json does not exist in this directory. Create one with "npx changewire init", or use --config FILE.\n',
    ]);
  });
});

describe.each(['deploy', 'destroy'])('changewire %s', command => {
  it('takes one stack of several only by its name', async () => {
    const { code, err, started } = await deploying(`${command} --config stacks.json --yes`);
    expect([code, started]).toEqual([2, []]);
    expect(err).toMatch(/has 2 stacks\. Name one: /);
  });

  it('takes --yes where nobody can be asked', async () => {
    const { code, err, started } = await deploying(command);
    expect([code, started]).toEqual([2, []]);
    expect(err).toMatch(/^changewire: Not running in a terminal, and .*\. Use --yes\.\n$/);
  });
});
