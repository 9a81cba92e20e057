import type { Command } from 'commander';
import { buildProgram } from '../src/program.ts';

/** Returns the commands themselves, to look at them and not to run them. */
export function programOf(): Command {
  return buildProgram({
    environment: {},
    defaultDataDir: '/nonexistent',
    writeOut: () => undefined,
    writeError: () => undefined,
    errorIsTerminal: false,
    readStdin: async () => '',
  });
}
