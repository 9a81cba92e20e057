import { expect, test } from 'vitest';
import { identityProviderRefusal } from './identity-provider-refusal.ts';

test('a refused single sign-on has a reason and a next step, also for an unknown code', () => {
  expect(identityProviderRefusal('?error=sign_up_closed')).toContain('ask them for one');
  expect(identityProviderRefusal('?error=account_suspended')).toContain('suspended');
  expect(identityProviderRefusal('?error=address_not_allowed')).toContain('work address');
  expect(identityProviderRefusal('?error=address_not_verified')).toContain('does not confirm');
  expect(identityProviderRefusal('?error=sign_in_elsewhere')).toContain('another way');
  expect(identityProviderRefusal('?error=address_missing')).toContain('sent no e-mail address');
  expect(identityProviderRefusal('?error=proof_time_missing')).toContain('auth_time');
  expect(identityProviderRefusal('?error=proof_too_old')).toContain('Sign out there');
  expect(identityProviderRefusal('?error=constructor_x')).toContain('Try again');
});

test('a URL without an error has no refusal', () => {
  expect(identityProviderRefusal('')).toBeNull();
  expect(identityProviderRefusal('?next=1')).toBeNull();
});
