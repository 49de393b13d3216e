// A link to a page of the dashboard by its path and search, as text: a list with its filters.
import { useRouter } from '@tanstack/react-router';
import type { MouseEvent, ReactNode } from 'react';

interface PathLinkProps {
  /** Without /dashboard: `/payments?status=DECLINED`. */
  readonly path: string;
  readonly className?: string | undefined;
  readonly children: ReactNode;
}

export function PathLink({ path, className, children }: PathLinkProps): ReactNode {
  const router = useRouter();
  const href = `/dashboard${path}`;
  const follow = (event: MouseEvent): void => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    router.history.push(href);
  };
  return (
    <a href={href} className={className} onClick={follow}>
      {children}
    </a>
  );
}
