import { Anchor } from '@mantine/core';
import { memo, useDeferredValue } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { CopyButton } from '../../components/copy-button.tsx';
import { FaultBoundary } from '../../components/fault-boundary.tsx';
import { ScrollFrame } from '../../components/scroll-frame.tsx';
import classes from './markdown.module.css';

/**
 * Renders a model's output. HTML stays text, links open only http, https and mail addresses, and pictures are
 * links: the page must load nothing that a model names. Output that cannot be rendered, such as thousands of
 * nested quotes, is shown as text.
 */
export function Markdown({ text }: { text: string }) {
  // Defers rendering, so a fast stream does not block the page.
  const shown = useDeferredValue(text);
  const plain = <div className={classes.plain}>{shown}</div>;
  if (WIDE_TABLE.test(shown)) return plain;
  return (
    <FaultBoundary instead={plain}>
      <Rendered text={shown} />
    </FaultBoundary>
  );
}

const Rendered = memo(function Rendered({ text }: { text: string }) {
  return (
    <div className={classes.markdown}>
      <ReactMarkdown remarkPlugins={PLUGINS} components={COMPONENTS} disallowedElements={DISALLOWED}>
        {text}
      </ReactMarkdown>
    </div>
  );
});

const PLUGINS = [remarkGfm];
/** A table that wide gets a cell of each column for every line below it, which can stop the browser. */
const WIDE_TABLE = /^\|?(?:[ \t:]*-[-: \t]*\|){60}/m;
/** Checkboxes of task lists; the page has no use for them. */
const DISALLOWED = ['input'];

const COMPONENTS: Components = {
  a: ({ href, children }) => <ExternalLink href={href}>{children}</ExternalLink>,
  img: ({ src, alt }) => (
    <ExternalLink href={typeof src === 'string' ? src : undefined}>
      Image: {alt || 'without a description'}
    </ExternalLink>
  ),
  // The page's own headings are of the first two levels.
  h1: 'h3',
  h2: 'h4',
  h3: 'h5',
  h4: 'h6',
  h5: 'h6',
  table: ({ children }) => (
    <ScrollFrame label="Table">
      <table>{children}</table>
    </ScrollFrame>
  ),
  pre: ({ node, children }) => (
    <div className={classes.code}>
      <ScrollFrame label="Code">
        <pre>{children}</pre>
      </ScrollFrame>
      <CopyButton value={textOf(node)} label="Copy code" variant="subtle" />
    </div>
  ),
};

function ExternalLink({ href, children }: { href: string | undefined; children: React.ReactNode }) {
  if (href === undefined || href === '') return <>{children}</>;
  return (
    <Anchor href={href} target="_blank" rel="noopener noreferrer nofollow" underline="always" inherit>
      {children}
    </Anchor>
  );
}

type Node = { type: string; value?: string; children?: readonly Node[] };

function textOf(node: Node | undefined): string {
  return node?.value ?? (node?.children ?? []).map(textOf).join('');
}
