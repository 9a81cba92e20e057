import { DashboardError } from './dashboard-error.ts';

/** The control plane, or the data plane of the playground, cannot be reached. */
export function gatewayUnreachable(cause: unknown): DashboardError {
  const message = 'The gateway cannot be reached at the moment. Try again in a few seconds.';
  return new DashboardError('service_unavailable', message, { retryAfterSeconds: 2, cause });
}

/** A failing session store is an outage (503), never "signed out" (401). The log has the cause. */
export function sessionStoreUnreachable(cause: unknown): DashboardError {
  const message = 'Sign-ins cannot be checked at the moment. Try again in a few seconds.';
  return new DashboardError('service_unavailable', message, { retryAfterSeconds: 2, cause });
}

export function statusUnreachable(retryAfterSeconds: number): DashboardError {
  const message = 'The status service cannot be reached at the moment. Try again in a few seconds.';
  return new DashboardError('service_unavailable', message, { retryAfterSeconds });
}

export function identityProviderUnreachable(): DashboardError {
  const message = 'The identity provider cannot be reached. Try again in a minute.';
  return new DashboardError('service_unavailable', message);
}

/** The settings name another issuer than the provider itself. The log has both. */
export function identityProviderMisconfigured(): DashboardError {
  const message = 'This identity provider is not set up correctly here. Tell your operator.';
  return new DashboardError('service_unavailable', message);
}

/** Nobody sees it: it only ends the work for a browser that has closed its connection. */
export function clientDisconnected(): DashboardError {
  return new DashboardError('service_unavailable', 'The client has disconnected.');
}

export function tooManyChanges(): DashboardError {
  const message = 'Too many people change their sign-in at the moment. Try again in a few seconds.';
  return new DashboardError('service_unavailable', message, { retryAfterSeconds: 2 });
}
