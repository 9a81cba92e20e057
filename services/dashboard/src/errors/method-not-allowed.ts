import { DashboardError } from './dashboard-error.ts';

/** For known paths and the wrong method. */
export function methodNotAllowed(allowed: readonly string[]): DashboardError {
  const allow = allowed.join(', ');
  return new DashboardError('method_not_allowed', `Use ${allow} here.`, { headers: { allow } });
}
