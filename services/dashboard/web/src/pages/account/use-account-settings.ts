import { useQuery } from '@tanstack/react-query';
import type { AccountSettings } from '../../../../wire/account-settings.ts';
import { getJson } from '../../api/client.ts';

export const accountSettingsKey = ['account-settings'];

/** Reads the calendar of the account's budgets, and which of its end users have own rules. */
export function useAccountSettings() {
  return useQuery({
    queryKey: accountSettingsKey,
    queryFn: ({ signal }) => getJson<AccountSettings>('/api/account/settings', {}, signal),
  });
}
