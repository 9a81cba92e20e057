#!/usr/bin/env node
import { existsSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { runGatewayctl } from './program.ts';

// `gatewayctl … | head` closes the pipe early. That is no failure, and needs no stack trace.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

process.exitCode = await runGatewayctl(process.argv.slice(2), {
  environment: process.env,
  defaultDataDir: fileURLToPath(new URL('../../../.gateway', import.meta.url)),
  catalogDir: fileURLToPath(new URL('../../../deploy/catalogs', import.meta.url)),
  inputIsTerminal: process.stdin.isTTY,
  writeOut: (chunk) => process.stdout.write(chunk),
  writeError: (chunk) => process.stderr.write(chunk),
  errorIsTerminal: process.stderr.isTTY,
  readStdin: () => text(process.stdin),
  readLine: (question) =>
    new Promise((resolve) => {
      const terminal = createInterface({ input: process.stdin, output: process.stderr });
      // Ctrl-C and Ctrl-D answer nothing.
      terminal.once('close', () => resolve(''));
      terminal.question(question, (line) => {
        resolve(line);
        terminal.close();
      });
    }),
  readEnvFile: () => (existsSync('.env') ? parseEnv(readFileSync('.env', 'utf8')) : {}),
});
