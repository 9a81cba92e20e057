import type { Logger } from '@model-gateway/service-kit';
import type { DashboardConfig } from '../config.ts';
import type { HolderClient } from '../control-plane/holder-client.ts';
import type { Mailer } from '../mail/mailer.ts';
import type { AddressProofStore } from './address-proof-store.ts';
import type { AttemptStore } from './attempt-store.ts';
import type { HolderAccounts } from './holder-accounts.ts';
import type { SignIn } from './sign-in.ts';
import type { UserStore } from './user-store.ts';

/** The parts of the dashboard that the functions of this folder use. */
export interface SignInContext {
  config: DashboardConfig;
  accounts: HolderAccounts;
  addressProofStore: AddressProofStore;
  attemptStore: AttemptStore;
  holder: HolderClient;
  log: Logger;
  mailer: Mailer;
  signIn: SignIn;
  userStore: UserStore;
}
