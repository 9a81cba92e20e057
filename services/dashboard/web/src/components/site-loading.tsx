import { Container } from '@mantine/core';
import { PageLoading } from './page-loading.tsx';

/** Fills the window while the session or the frame of the site loads. */
export function SiteLoading() {
  return (
    <Container size="xs" py={80} component="main">
      <PageLoading label="Loading the dashboard" />
    </Container>
  );
}
