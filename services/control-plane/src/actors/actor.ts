/**
 * Says who makes a change, and by which way. A verb takes an actor if it changes accounts, keys, teams,
 * seats, invitations, pools or the catalog for somebody; what data planes resolve, draw, settle and report
 * has none, and neither has the clean-up of what has ended.
 */
export type Actor = UserActor | OperatorActor | SystemActor;

/** The dashboard has signed the user in, and vouches for all of this. */
export interface UserActor {
  type: 'user';
  way: 'dashboard';
  accountId: string;
  /** Undefined when it is not known. */
  signInId: string | undefined;
  email: string;
  /** The address of the user's HTTP request, not that of the dashboard. */
  ip: string;
  requestId: string;
}

/** Somebody who has ADMIN_TOKEN. */
export interface OperatorActor {
  type: 'operator_token';
  way: 'cli';
  /** The address of the connection. */
  ip: string;
}

/** The gateway itself: nobody is signed in yet when it opens an account or redeems a password reset. */
export interface SystemActor {
  type: 'system';
  way: 'system';
}
