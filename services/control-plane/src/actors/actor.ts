/**
 * Names who makes a change and through which interface. Verbs that change something for somebody take an
 * actor; calls of data planes and clean-up have none.
 */
export type Actor = UserActor | OperatorActor | SystemActor;

/** Vouched for by the dashboard, which has signed the user in. */
export interface UserActor {
  type: 'user';
  via: 'dashboard';
  accountId: string;
  signInId: string | undefined;
  email: string;
  /** The address of the user's HTTP request, not that of the dashboard. */
  ip: string;
  requestId: string;
}

/** Caller who proved to have ADMIN_TOKEN. */
export interface OperatorActor {
  type: 'operator_token';
  via: 'cli';
  ip: string;
}

/** The gateway itself: nobody is signed in yet when it opens an account or redeems a password reset. */
export interface SystemActor {
  type: 'system';
  via: 'system';
}
