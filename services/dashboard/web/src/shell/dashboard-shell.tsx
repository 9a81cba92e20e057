import { MainNavigation } from './main-navigation.tsx';
import { OfferedAccounts } from './offered-accounts.tsx';
import { PageOutlet } from './page-outlet.tsx';
import { SignedInShell } from './signed-in-shell.tsx';
import { ViewedAccountNotice } from './viewed-account-notice.tsx';

/** Frames the pages of an account's holders. */
export function DashboardShell() {
  return (
    <SignedInShell label="Dashboard" Navigation={MainNavigation}>
      <ViewedAccountNotice />
      <OfferedAccounts />
      <PageOutlet />
    </SignedInShell>
  );
}
