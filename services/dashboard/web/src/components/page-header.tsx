import { Group, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { useLocation } from 'react-router';

interface PageHeaderProps {
  title: string;
  description?: ReactNode;
  /** Buttons at the right; below the title on a phone. */
  actions?: ReactNode;
}

/**
 * The heading of a page. It names the document, and takes the focus after a navigation, so that a screen reader says
 * where one is.
 */
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

/** The heading alone, for pages of another shape. */
export function PageTitle({ title, size = 'h1' }: { title: string; size?: 'h1' | 'h2' }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const location = useLocation();
  // The first page of a visit leaves the focus where the browser puts it.
  const isNavigation = location.key !== 'default';
  const { pathname } = location;

  useEffect(() => {
    document.title = `${title} · Model Gateway`;
  }, [title]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each page, not for each change of its query
  useEffect(() => {
    if (isNavigation) {
      heading.current?.focus({ preventScroll: true });
    }
  }, [pathname]);

  return (
    <Title order={1} size={size} ref={heading} tabIndex={-1} className="page-title">
      {title}
    </Title>
  );
}
