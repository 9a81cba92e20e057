import { Anchor, Group, Text } from '@mantine/core';
import { IconKey, IconReceipt, IconUsersGroup } from '@tabler/icons-react';
import { Link } from 'react-router';
import { productName } from '../product.ts';
import { DocsLink } from '../session/docs-link.tsx';
import { TermsLink } from '../session/terms-link.tsx';
import { useSession } from '../session/use-session.ts';
import { Logo } from './logo.tsx';
import { PageOutlet } from './page-outlet.tsx';
import { SchemeButton } from './scheme-button.tsx';
import classes from './shell.module.css';
import { SkipLink } from './skip-link.tsx';

/** Frames the sign-in, sign-up, password and invitation pages. */
export function SignInShell() {
  const session = useSession().data;
  return (
    <div className={classes.signIn}>
      <SkipLink />
      <aside className={classes.pitch} aria-label={`About ${productName()}`}>
        <Text fz={34} fw={700} lh={1.2} maw={440}>
          One endpoint for every model.
        </Text>
        <ul className={`plain-list ${classes.pitchList}`}>
          <li>
            <IconKey size={22} aria-hidden />
            <Text maw={400}>
              Name, watch and revoke your keys. The gateway refuses a revoked key at once.
            </Text>
          </li>
          <li>
            <IconReceipt size={22} aria-hidden />
            <Text maw={400}>
              A receipt for every request: its usage
              {session?.hidesUpstreams ? ' and its cost' : ', its cost and the providers that were tried'}.
            </Text>
          </li>
          <li>
            <IconUsersGroup size={22} aria-hidden />
            <Text maw={400}>Teams with their own budgets and limits, seat by seat.</Text>
          </li>
        </ul>
      </aside>
      <div className={classes.signInSide}>
        <header className={classes.signInBar}>
          <Logo />
          <SchemeButton />
        </header>
        <main id="main" tabIndex={-1} className={classes.form}>
          <PageOutlet />
        </main>
        <Group component="footer" justify="center" gap="lg">
          <Anchor component={Link} to="/status" size="sm">
            Status
          </Anchor>
          <Anchor component={Link} to="/models" size="sm">
            Models and prices
          </Anchor>
          <Text span size="sm">
            <DocsLink isAmongLinks />
          </Text>
          {session?.termsUrl != null && (
            <Text span size="sm">
              <TermsLink url={session.termsUrl} isAmongLinks />
            </Text>
          )}
        </Group>
      </div>
    </div>
  );
}
