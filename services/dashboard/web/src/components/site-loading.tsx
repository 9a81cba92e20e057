import { Container } from '@mantine/core';
import { PageLoading } from './page-loading.tsx';

/** Shown in place of the site until it is known what to show. */
export function SiteLoading() {
  return (
    <Container size="xs" py={80} component="main">
      <PageLoading label="Loading the dashboard" />
    </Container>
  );
}
