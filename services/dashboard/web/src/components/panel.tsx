import { Group, Paper, Stack, Title, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { type ReactNode, useId } from 'react';
import { Hint } from '../components/hint.tsx';

export interface PanelProps {
  title: string;
  description?: ReactNode;
  /** At the right of the title. */
  actions?: ReactNode;
  /** If set, the title is a button that hides everything below it. */
  fold?: { isOpen: boolean; toggle: () => void };
  children: ReactNode;
}

/** Shows a titled section, which screen readers list as a region. */
export function Panel({ title, description, actions, fold, children }: PanelProps) {
  const titleId = useId();
  const bodyId = useId();
  const isOpen = fold?.isOpen ?? true;
  return (
    <Paper
      component="section"
      aria-labelledby={titleId}
      withBorder
      radius="lg"
      p={{ base: 'md', sm: 'lg' }}
      {...(isOpen ? {} : { py: 'sm' })}
    >
      <Group justify="space-between" align="flex-start" gap="sm">
        <div>
          <Title order={2} size="h4" id={titleId}>
            {fold === undefined ? (
              title
            ) : (
              <UnstyledButton
                onClick={fold.toggle}
                aria-expanded={isOpen}
                aria-controls={bodyId}
                fz="inherit"
                fw="inherit"
                lh="inherit"
                className="fold-button"
              >
                {isOpen ? (
                  <IconChevronDown size={18} aria-hidden />
                ) : (
                  <IconChevronRight size={18} aria-hidden />
                )}
                {title}
              </UnstyledButton>
            )}
          </Title>
          {isOpen && description !== undefined && <Hint>{description}</Hint>}
        </div>
        {isOpen && actions !== undefined && actions !== false && <Group gap="xs">{actions}</Group>}
      </Group>
      <div id={bodyId} hidden={!isOpen}>
        {isOpen && (
          <Stack gap="md" mt="md">
            {children}
          </Stack>
        )}
      </div>
    </Paper>
  );
}
