import type { Mailer } from '@model-gateway/mail';
import type { Logger } from '@model-gateway/service-kit';
import type { DashboardConfig } from '../config.ts';
import type { HolderClient } from '../control-plane/holder-client.ts';
import type { AttemptStore } from './attempt-store.ts';
import type { HolderAccounts } from './holder-accounts.ts';
import type { OneTimeTokenStore } from './one-time-token-store.ts';
import type { SessionStore } from './session-store.ts';
import type { SignIn } from './sign-in.ts';
import type { UserStore } from './user-store.ts';

/** The parts of the dashboard that the functions of this folder use. */
export interface SignInContext {
  config: DashboardConfig;
  accounts: HolderAccounts;
  oneTimeTokenStore: OneTimeTokenStore;
  attemptStore: AttemptStore;
  holder: HolderClient;
  log: Logger;
  mailer: Mailer;
  sessionStore: SessionStore;
  signIn: SignIn;
  userStore: UserStore;
}
