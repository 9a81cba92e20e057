interface CommandFailureOptions {
  /** A code for scripts. For a failed call, the name of its gRPC status is used instead. */
  code?: 'failed' | 'unreadable_file' | 'invalid_file';
  cause?: unknown;
}

/** A failure to report on standard error, line by line, with exit code 1. */
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
