interface CommandFailureOptions {
  /** For scripts; of a call that failed, the name of its gRPC status says more. */
  code?: 'failed' | 'unreadable_file' | 'invalid_file';
  cause?: unknown;
}

/** What the user is told instead of a result; one line each on standard error, exit code 1. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly lines: readonly string[];
  readonly code: string;

  constructor(lines: readonly string[], { code = 'failed', cause }: CommandFailureOptions = {}) {
    super(lines.join('\n'), { cause });
    this.lines = lines;
    this.code = code;
  }
}
