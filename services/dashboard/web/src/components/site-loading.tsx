import { Container } from '@mantine/core';
import { PageLoading } from './page-loading.tsx';

/** Stands in for the whole site while it is not known yet what to show. */
export function SiteLoading() {
  return (
    <Container size="xs" py={80} component="main">
      <PageLoading label="Loading the dashboard" />
    </Container>
  );
}
