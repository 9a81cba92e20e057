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

/** Where this visit began, and whether it is still there: also after a reload, which starts anew. */
let firstPath: string | undefined;
let hasMoved = false;

/** The heading alone, for pages of another shape. */
export function PageTitle({ title, size = 'h1' }: { title: string; size?: 'h1' | 'h2' }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { pathname } = useLocation();

  useEffect(() => {
    document.title = `${title} · Model Gateway`;
  }, [title]);

  useEffect(() => {
    firstPath ??= pathname;
    hasMoved ||= pathname !== firstPath;
    // The first page leaves the focus where the browser puts it: Tab begins with the skip link.
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
