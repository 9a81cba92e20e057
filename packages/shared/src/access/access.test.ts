import { describe, expect, it } from 'vitest';
import { ACCOUNT_ROLES, hasRole } from './roles.ts';
import { includesScope, SCOPES, scope } from './scopes.ts';

describe('scopes', () => {
  it('are a read and a write of each area', () => {
    expect(SCOPES).toHaveLength(20);
    expect(SCOPES.slice(0, 2)).toEqual(['accounts:read', 'accounts:write']);
    expect(() => scope.parse('accounts:delete')).toThrow('expected one of accounts:read');
  });

  it('of writing include reading of the same area alone', () => {
    expect(SCOPES.filter((needed) => includesScope(['keys:write'], needed))).toEqual([
      'keys:read',
      'keys:write',
    ]);
    expect(SCOPES.filter((needed) => includesScope(['keys:read'], needed))).toEqual(['keys:read']);
    expect(SCOPES.filter((needed) => includesScope([], needed))).toEqual([]);
  });
});

describe('roles in an account', () => {
  it('allow what lower roles may do', () => {
    const allowed = ACCOUNT_ROLES.map((role) => ACCOUNT_ROLES.filter((least) => hasRole(role, least)));
    expect(allowed).toEqual([1, 2, 3, 4].map((count) => ACCOUNT_ROLES.slice(0, count)));
  });
});
