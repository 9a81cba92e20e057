import { Container } from '@mantine/core';
import { useLastError } from '../api/use-last-error.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { SiteLoading } from '../components/site-loading.tsx';
import { useSession } from './use-session.ts';

/** Shows that the session is loading, or that it could not be loaded. */
export function SessionLoading() {
  const session = useSession();
  const error = useLastError(session);
  return error !== null ? (
    <Container size="xs" py={80} component="main">
      <ErrorNotice error={error} onRetry={() => void session.refetch()} />
    </Container>
  ) : (
    <SiteLoading />
  );
}
