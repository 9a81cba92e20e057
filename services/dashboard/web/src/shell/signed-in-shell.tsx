import '../theme/inner-styles.ts';
import { AppShell, Burger, Drawer, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ComponentType, ReactNode } from 'react';
import { ReauthenticationDialog } from '../session/reauthentication-dialog.tsx';
import { RequireSession } from '../session/require-session.tsx';
import { useSession } from '../session/use-session.ts';
import { ConfirmAddressNotice } from './confirm-address-notice.tsx';
import { Logo } from './logo.tsx';
import type { NavigationProps } from './navigation.tsx';
import { SchemeButton } from './scheme-button.tsx';
import classes from './shell.module.css';
import { SkipLink } from './skip-link.tsx';
import { TermsFooter } from './terms-footer.tsx';

interface SignedInShellProps {
  /** Names the navigation for screen readers. */
  label: string;
  Navigation: ComponentType<NavigationProps>;
  children: ReactNode;
}

/** Frames the pages for signed-in users: navigation at the side, or in a drawer on a phone. */
export function SignedInShell(props: SignedInShellProps) {
  return (
    <RequireSession>
      <SignedIn {...props} />
    </RequireSession>
  );
}

function SignedIn({ label, Navigation, children }: SignedInShellProps) {
  const session = useSession().data;
  const user = session?.user;
  const [isDrawerOpen, drawer] = useDisclosure(false);
  if (user == null) return null;
  return (
    <AppShell
      header={{ height: 64 }}
      navbar={{ width: 248, breakpoint: 'sm', collapsed: { mobile: true } }}
      padding={{ base: 'md', sm: 'xl' }}
    >
      <SkipLink />
      <AppShell.Header px="md" className={classes.navigation}>
        <Group h="100%" justify="space-between" wrap="nowrap">
          <Group gap="xs" wrap="nowrap">
            <Burger
              opened={isDrawerOpen}
              onClick={drawer.toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label="Navigation"
              aria-expanded={isDrawerOpen}
            />
            <Logo />
          </Group>
          <SchemeButton />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar visibleFrom="sm" p="md" aria-label={label} className={classes.navigation}>
        <Navigation user={user} />
      </AppShell.Navbar>
      <Drawer opened={isDrawerOpen} onClose={drawer.close} title="Navigation" size={300} hiddenFrom="sm">
        <nav aria-label={label}>
          <Navigation user={user} onNavigate={drawer.close} />
        </nav>
      </Drawer>
      <AppShell.Main id="main" tabIndex={-1} className={classes.appMain}>
        <div className={classes.content}>
          <ConfirmAddressNotice />
          {session?.addressNeedsProof && !user.emailVerified ? null : children}
          <TermsFooter />
        </div>
        <ReauthenticationDialog />
      </AppShell.Main>
    </AppShell>
  );
}
