import { expect, test } from 'vitest';
import { identityProviderRefusal } from './identity-provider-refusal.ts';

test('a sign-in that was refused says why and what to do, an unknown reason included', () => {
  expect(identityProviderRefusal('?error=sign_up_closed')).toContain('ask them for one');
  expect(identityProviderRefusal('?error=account_suspended')).toContain('suspended');
  expect(identityProviderRefusal('?error=constructor_x')).toContain('Try again');
});

test('nothing is said where nothing was refused', () => {
  expect(identityProviderRefusal('')).toBeNull();
  expect(identityProviderRefusal('?next=1')).toBeNull();
});
