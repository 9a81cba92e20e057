import { type ReactNode, useEffect, useRef, useState } from 'react';
import classes from './scroll-frame.module.css';

interface ScrollFrameProps {
  /** Names the content for screen readers. */
  label: string;
  className?: string | undefined;
  children: ReactNode;
}

/** Scrolls sideways what is wider than the page, also by keyboard. */
export function ScrollFrame({ label, className = '', children }: ScrollFrameProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [isWider, setWider] = useState(false);
  useEffect(() => {
    const { current } = frame;
    if (current === null) return;
    const observer = new ResizeObserver(() => setWider(current.scrollWidth > current.clientWidth));
    for (const element of [current, ...current.children]) observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return (
    <div
      ref={frame}
      className={`${classes.frame} ${className}`}
      {...(isWider && { tabIndex: 0, role: 'group', 'aria-label': label })}
    >
      {children}
    </div>
  );
}
