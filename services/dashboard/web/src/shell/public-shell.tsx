import '../theme/inner-styles.ts';
import { Button, Container, Group } from '@mantine/core';
import { Link, NavLink } from 'react-router';
import { useSession } from '../session/use-session.ts';
import { Logo } from './logo.tsx';
import { PageOutlet } from './page-outlet.tsx';
import { SchemeButton } from './scheme-button.tsx';
import classes from './shell.module.css';
import { SkipLink } from './skip-link.tsx';
import { TermsFooter } from './terms-footer.tsx';

/** Frames the public pages. */
export function PublicShell() {
  const session = useSession();
  const isSignedIn = session.data?.user != null;
  return (
    <>
      <SkipLink />
      <header className={classes.bar}>
        <Container size="lg" className={classes.barInner}>
          <Logo />
          <Group gap={4} wrap="nowrap">
            <PublicNavigation visibleFrom="sm" />
            <SchemeButton />
            <Button component={Link} to={isSignedIn ? '/dashboard/api-keys' : '/sign-in'} size="sm">
              {isSignedIn ? 'Dashboard' : 'Sign in'}
            </Button>
          </Group>
        </Container>
        <Container hiddenFrom="sm" pb="xs">
          <PublicNavigation />
        </Container>
      </header>
      <Container size="lg" component="main" id="main" tabIndex={-1} className={classes.publicContent}>
        <PageOutlet />
        <TermsFooter />
      </Container>
    </>
  );
}

function PublicNavigation({ visibleFrom }: { visibleFrom?: 'sm' }) {
  return (
    <Group gap={4} component="nav" aria-label="Public pages" {...(visibleFrom && { visibleFrom })}>
      {[
        { to: '/status', label: 'Status' },
        { to: '/models', label: 'Models' },
      ].map(({ to, label }) => (
        <Button
          key={to}
          component={NavLink}
          to={to}
          variant="subtle"
          color="gray"
          className={classes.publicLink}
        >
          {label}
        </Button>
      ))}
    </Group>
  );
}
