import { Group, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { useLocation } from 'react-router';
import { productName } from '../product.ts';

interface PageHeaderProps {
  title: string;
  description?: ReactNode;
  /** Buttons at the right, or on a phone below the title. */
  actions?: ReactNode;
}

/** Shows the heading of a page with its description and actions. */
export function PageHeader({ title, description, actions }: PageHeaderProps) {
  return (
    <Group justify="space-between" align="flex-start" gap="md" mb="xl">
      <Stack gap={4} maw="min(640px, 100%)">
        <PageTitle title={title} />
        {description !== undefined && <Text c="dimmed">{description}</Text>}
      </Stack>
      {actions !== undefined && <Group gap="sm">{actions}</Group>}
    </Group>
  );
}

/** The path of the first page after a load, and whether the reader has left it. */
let firstPath: string | undefined;
let hasMoved = false;

/** Sets the document title, and takes the focus after a navigation, so that screen readers read it. */
export function PageTitle({ title, size = 'h1' }: { title: string; size?: 'h1' | 'h2' }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { pathname } = useLocation();

  useEffect(() => {
    document.title = `${title} · ${productName()}`;
  }, [title]);

  useEffect(() => {
    firstPath ??= pathname;
    hasMoved ||= pathname !== firstPath;
    // Leave the focus alone on the first page, so that Tab starts at the skip link.
    if (hasMoved) {
      heading.current?.focus({ preventScroll: true });
    }
  }, [pathname]);

  return (
    <Title order={1} size={size} ref={heading} tabIndex={-1} className="page-title">
      {title}
    </Title>
  );
}
