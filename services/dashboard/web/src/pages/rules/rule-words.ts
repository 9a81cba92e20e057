import type { BudgetWindow } from '@model-gateway/shared/rules';

export const WINDOW_NAMES: Record<BudgetWindow, string> = {
  day: 'A day',
  week: 'A week',
  month: 'A month',
  total: 'In total',
};

export const WINDOW_CHOICES = Object.entries(WINDOW_NAMES).map(([value, label]) => ({ value, label }));

/** Names the level that decided a member. */
export function scopeName(scope: string): string {
  return SCOPES[scope] ?? scope;
}

const SCOPES: Readonly<Record<string, string>> = {
  key: 'Key',
  seat: 'Seat',
  team: 'Team',
  account: 'Account',
  end_user: 'End user',
};
