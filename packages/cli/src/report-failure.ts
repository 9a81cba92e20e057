import { GrpcStatus, grpcStatus } from '@model-gateway/contracts';
import { ConfigError } from '@model-gateway/service-kit';
import type { CommanderError } from 'commander';
import { CommandFailure } from './command-failure.ts';
import type { Io } from './io.ts';
import { printable } from './output/printable.ts';

/**
 * Returns true if --json was given. It checks the raw arguments: an invalid command line is not parsed fully.
 */
export function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return (end === -1 ? args : args.slice(0, end)).includes('--json');
}

/** Prints why a command failed, as lines or one JSON value. Prints nothing for a failure without lines. */
export function reportFailure(error: unknown, asJson: boolean, io: Pick<Io, 'writeError'>): void {
  const lines = failureLines(error);
  if (lines.length === 0) return;
  if (asJson) writeJson(failureCode(error), lines.join('\n'), io);
  else for (const line of lines) io.writeError(`gatewayctl: ${printable(line)}\n`);
}

/** Prints in JSON what is wrong with a command line. Without --json, commander has printed it. */
export function reportWrongUsage(error: CommanderError, asJson: boolean, io: Pick<Io, 'writeError'>): void {
  if (!asJson) return;
  const isHelp = error.code === 'commander.help';
  const message = isHelp ? 'name a command; --help lists them' : error.message.replace(/^error: /, '');
  writeJson('wrong_usage', message, io);
}

function writeJson(code: string, message: string, io: Pick<Io, 'writeError'>): void {
  io.writeError(`${JSON.stringify({ error: { code, message } })}\n`);
}

function failureCode(error: unknown): string {
  if (error instanceof ConfigError) return 'invalid_settings';
  if (!(error instanceof CommandFailure)) return 'unexpected';
  const status = grpcStatus(error.cause);
  return status === undefined ? error.code : GrpcStatus[status].toLowerCase();
}

function failureLines(error: unknown): readonly string[] {
  if (error instanceof CommandFailure) return error.lines;
  if (error instanceof ConfigError) return error.problems;
  return [`unexpected failure: ${error instanceof Error ? error.message : String(error)}`];
}
