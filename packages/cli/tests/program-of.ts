import type { Command } from 'commander';
import { buildProgram } from '../src/program.ts';

/** Returns the commands to inspect, not to run. */
export function programOf(): Command {
  return buildProgram({
    environment: {},
    defaultDataDir: '/nonexistent',
    catalogDir: '/nonexistent',
    inputIsTerminal: false,
    writeOut: () => undefined,
    writeError: () => undefined,
    errorIsTerminal: false,
    readStdin: async () => '',
    readLine: async () => '',
    readEnvFile: () => ({}),
  });
}
