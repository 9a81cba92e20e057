import { Button, Container, Stack, Text, Title } from '@mantine/core';
import { Component, type ReactNode } from 'react';

interface FaultBoundaryProps {
  children: ReactNode;
  /** Shown in place of what failed. Left out: advice to reload the page. */
  instead?: ReactNode;
}

/**
 * Keeps a failing page from blanking the whole site; usually its script could not be loaded, even after the
 * reload of load-script.ts. Give it a `key` that changes with the page.
 */
export class FaultBoundary extends Component<FaultBoundaryProps, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children;
    if (this.props.instead !== undefined) return this.props.instead;
    return (
      <Container size="xs" py={80} role="alert">
        <Stack align="flex-start">
          <Title order={1} size="h2">
            This page could not be shown
          </Title>
          <Text>
            The site was updated while it was open, or it cannot be reached. Reload the page. If that does not
            help, tell your operator.
          </Text>
          <Button onClick={() => window.location.reload()}>Reload</Button>
        </Stack>
      </Container>
    );
  }
}
