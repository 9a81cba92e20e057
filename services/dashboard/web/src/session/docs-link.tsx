import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { docsUrl } from './docs-url.ts';
import { useSession } from './use-session.ts';

interface DocsLinkProps {
  children?: ReactNode;
  /** Omits the underline, which only links in running text need. */
  isAmongLinks?: boolean;
}

/** Links to the API reference in a new tab, so that an open dialog is not lost. */
export function DocsLink({ children = 'API reference', isAmongLinks = false }: DocsLinkProps) {
  const apiBaseUrl = useSession().data?.apiBaseUrl;
  if (apiBaseUrl === undefined) return null;
  return (
    <Anchor
      href={docsUrl(apiBaseUrl)}
      target="_blank"
      rel="noreferrer"
      inherit
      underline={isAmongLinks ? 'hover' : 'always'}
    >
      {children}
    </Anchor>
  );
}
