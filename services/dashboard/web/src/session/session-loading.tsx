import { Container } from '@mantine/core';
import { ErrorNotice } from '../components/error-notice.tsx';
import { SiteLoading } from '../components/site-loading.tsx';
import { useSession } from './use-session.ts';

/** Shown until it is known who is signed in; says so when that cannot be found out. */
export function SessionLoading() {
  const session = useSession();
  return session.isError ? (
    <Container size="xs" py={80} component="main">
      <ErrorNotice error={session.error} onRetry={() => void session.refetch()} />
    </Container>
  ) : (
    <SiteLoading />
  );
}
