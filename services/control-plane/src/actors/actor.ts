import type { AccountRole, InstallationRole, Scope } from '@model-gateway/shared/access';
import type { ChangeGuard } from './change-guard.ts';

/**
 * Caller that makes a change, and its way in. Only authentication creates one. Operations that change
 * something for a caller take an actor; calls of data planes and clean-up have none.
 */
export type Actor = UserActor | ManagementActor | OperatorActor | ScimActor | SystemActor;

/** Caller of the management API. */
export type ManagementActor = AdminKeyActor | ConsoleActor;

interface Guarded {
  /** Checks the change in its transaction; absent: no conditions. */
  guard?: ChangeGuard;
}

/** Vouched for by the dashboard, which has signed the user in. */
export interface UserActor extends Guarded {
  type: 'user';
  way: 'dashboard';
  accountId: string;
  signInId: string;
  email: string;
  /** Role in the account, read by the control plane; absent: the call needs none. */
  role?: AccountRole;
  /** True: it looks at the account by its role in the installation, and may change nothing. */
  isViewing?: boolean;
  /** Member of the account that it is; absent: it owns the account, or the call needs no role. */
  memberId?: string;
  /** Roles in the installation, read by the control plane; absent: the call needs none. */
  installationRoles?: readonly InstallationRole[];
  /** The address of the user's HTTP request, not that of the dashboard. */
  ip: string;
  requestId: string;
}

/** Key of the management API. */
export interface AdminKeyActor extends Guarded {
  type: 'admin_key';
  /** cli: gatewayctl over HTTP. */
  way: 'api' | 'cli';
  id: string;
  name: string;
  /** The only account that it can see and change; undefined: all. */
  accountId: string | undefined;
  scopes: readonly Scope[];
  ip: string;
  requestId: string;
}

/** User with a role in the installation, who works in the console of the dashboard. */
export interface ConsoleActor extends Guarded {
  type: 'console_user';
  way: 'dashboard';
  signInId: string;
  email: string;
  /** Undefined: not bound to an account. */
  accountId: undefined;
  /** Scopes of its role, which the control plane has read from its database. */
  scopes: readonly Scope[];
  /** The address of the user's HTTP request, not that of the dashboard. */
  ip: string;
  requestId: string;
}

/** Caller who proved to have ADMIN_TOKEN. */
export interface OperatorActor extends Guarded {
  type: 'operator_token';
  way: 'cli';
  ip: string;
}

/** Token of an identity provider. */
export interface ScimActor extends Guarded {
  type: 'scim';
  way: 'scim';
  id: string;
  name: string;
  ip: string;
  requestId: string;
}

/** The gateway itself: nobody is signed in yet when it opens an account or redeems a password reset. */
export interface SystemActor extends Guarded {
  type: 'system';
  way: 'system';
}

/** The gateway itself, for changes that follow from no call. */
export const SYSTEM_ACTOR: SystemActor = { type: 'system', way: 'system' };
