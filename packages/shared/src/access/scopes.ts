import { z } from 'zod';

/** Kinds of objects that keys of the management API may read or change. */
export const SCOPE_AREAS = [
  'accounts',
  'keys',
  'teams',
  'pools',
  'rules',
  'catalog',
  'usage',
  'audit',
  'events',
  'fleet',
] as const;

export type Scope = `${(typeof SCOPE_AREAS)[number]}:${'read' | 'write'}`;

export const SCOPES: readonly Scope[] = SCOPE_AREAS.flatMap((area): Scope[] => [
  `${area}:read`,
  `${area}:write`,
]);

export const scope = z.enum(SCOPES, `expected one of ${SCOPES.join(', ')}`).meta({ id: 'Scope' });

/** Returns true if one of the scopes is `needed`, or includes it as `write` includes `read`. */
export function includesScope(granted: readonly Scope[], needed: Scope): boolean {
  const [area] = needed.split(':');
  return granted.some((each) => each === needed || each === `${area}:write`);
}

/** Scopes that users may give to keys of their account. They allow nothing that the dashboard does not. */
export const SCOPES_OF_USERS: readonly Scope[] = [
  'accounts:read',
  'keys:read',
  'keys:write',
  'teams:read',
  'pools:read',
  'rules:read',
  'rules:write',
  'usage:read',
  'usage:write',
  'audit:read',
  'events:read',
  'events:write',
];
