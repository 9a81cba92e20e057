import { keyCache, parseRules, type Rules, RulesError, type Tags, tags } from '@model-gateway/shared/rules';
import { invalidArgument } from '../errors/control-plane-error.ts';

/** Parses JSON of rules. @throws ControlPlaneError invalid_argument */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidArgument('the rules are not valid JSON');
  }
}

/** Validates rules. @throws ControlPlaneError invalid_argument, which names the place */
export function requireRules(value: unknown): Rules {
  try {
    return parseRules(value);
  } catch (error) {
    if (!(error instanceof RulesError)) throw error;
    const { code, message } = error;
    throw invalidArgument(code === 'unknown_field' ? `${code}: ${message}` : message);
  }
}

/**
 * Rejects members that requests of end users are not checked against: an ignored one would be no cap.
 * @throws ControlPlaneError invalid_argument
 */
export function requireEndUserRules(given: Rules): Rules {
  for (const member of ['streams', 'expires_at'] as const)
    if (given[member] !== null)
      throw invalidArgument(
        `\`${member}\` cannot be set for end users: set it for their keys or the account`,
      );
  return given;
}

/** Validates tags. @throws ControlPlaneError invalid_argument */
export function requireTags(given: Tags): Tags {
  const parsed = tags.safeParse(given);
  if (parsed.success) return parsed.data;
  throw invalidArgument(parsed.error.issues[0]?.message ?? 'the tags are not valid');
}

/** Validates directives of the cache. @throws ControlPlaneError invalid_argument */
export function requireCache(given: string): string {
  const parsed = keyCache.safeParse(given);
  if (parsed.success) return parsed.data;
  throw invalidArgument(`the cache ${parsed.error.issues[0]?.message ?? 'is not valid'}`);
}
