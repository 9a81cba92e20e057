import { formatIssues, plainWords } from '@model-gateway/shared';
import type { z } from 'zod';

/** Environment variables as a process receives them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Thrown with all problems of the settings, one printable line each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

/**
 * Parses settings. An empty variable counts as not set, because compose files pass empty ones.
 * @throws ConfigError with every missing or wrong setting at once.
 */
export function parseConfig<Schema extends z.ZodType>(
  schema: Schema,
  environment: Environment,
): z.infer<Schema> {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const result = schema.safeParse(given, { error: plainWords });
  if (result.success) return result.data;
  throw new ConfigError(
    formatIssues(result.error).map(({ path, message }) => (path ? `${path}: ${message}` : message)),
  );
}
