import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { PageTitle } from '../../components/page-header.tsx';

/** Shows a page with a title and a few lines instead of a form. */
export function MessagePage({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Stack align="flex-start" gap="md">
      <PageTitle title={title} key={title} />
      {children}
    </Stack>
  );
}
