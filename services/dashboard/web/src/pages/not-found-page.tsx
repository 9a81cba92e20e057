import { Button } from '@mantine/core';
import { IconMapOff } from '@tabler/icons-react';
import { Link } from 'react-router';
import { EmptyState } from '../components/empty-state.tsx';
import { PageHeader } from '../components/page-header.tsx';

export function NotFoundPage() {
  return (
    <>
      <PageHeader title="Page not found" />
      <EmptyState
        icon={<IconMapOff size={28} />}
        title="There is nothing at this address"
        action={
          <Button component={Link} to="/" mt="xs">
            Go to the home page
          </Button>
        }
      >
        Check the address, or go to the home page.
      </EmptyState>
    </>
  );
}
