import type { Command } from 'commander';
import type { Cli } from '../context/runner.ts';
import { actionsCommand } from './actions.ts';
import { backupCommand } from './backup.ts';
import { completionCommand } from './completion.ts';
import { consoleCommand } from './console.ts';
import { deployCommands } from './deploy.ts';
import { doctorCommand } from './doctor.ts';
import { endpointCommands } from './endpoints.ts';
import { eventCommands } from './events.ts';
import { initCommand } from './init.ts';
import { processCommands } from './processes.ts';
import { replayCommand } from './replay.ts';
import { republishCommand } from './republish.ts';
import { resendCommand } from './resend.ts';
import { restoreTableCommand } from './restore-table.ts';
import { logsCommand, setAsideCommands } from './stack.ts';
import { startCommand } from './start.ts';
import { statusCommand } from './status.ts';

/** Every command, in the order of the help. */
export function addCommands(program: Command, cli: Cli): void {
  program.commandsGroup('Run:');
  initCommand(program, cli);
  startCommand(program, cli);
  deployCommands(program, cli);
  program.commandsGroup('Look:');
  consoleCommand(program, cli);
  statusCommand(program, cli);
  eventCommands(program, cli);
  actionsCommand(program, cli);
  doctorCommand(program, cli);
  logsCommand(program, cli);
  program.commandsGroup('Act:');
  endpointCommands(program, cli);
  resendCommand(program, cli);
  replayCommand(program, cli);
  processCommands(program, cli);
  setAsideCommands(program, cli);
  republishCommand(program, cli);
  restoreTableCommand(program, cli);
  backupCommand(program, cli);
  program.commandsGroup('This command:');
  completionCommand(program, cli);
}
