import { lazy, Suspense } from 'react';
import { loadScript } from '../../load-script.ts';
import classes from './playground.module.css';

const Markdown = lazy(async () => ({
  default: (await loadScript(() => import('./markdown.tsx'))).Markdown,
}));

/** Shows a model's output: plain until the script that renders Markdown is loaded. */
export function Answer({ text }: { text: string }) {
  return (
    <Suspense fallback={<div className={classes.text}>{text}</div>}>
      <Markdown text={text} />
    </Suspense>
  );
}
