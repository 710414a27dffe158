// Line icons on a grid of 24, drawn with the colour of the text.

const PATHS = {
  home: 'M4 11 12 4l8 7v8a1 1 0 0 1-1 1h-4v-6H9v6H5a1 1 0 0 1-1-1z',
  chat: 'M5 5h14a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1h-7l-5 4v-4H5a1 1 0 0 1-1-1V6a1 1 0 0 1 1-1z',
  list: 'M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01',
  memory: 'M12 4a4 4 0 0 0-4 4 3 3 0 0 0-2 5 4 4 0 0 0 6 5 4 4 0 0 0 6-5 3 3 0 0 0-2-5 4 4 0 0 0-4-4zM12 4v14',
  clock: 'M12 4a8 8 0 1 1 0 16 8 8 0 0 1 0-16zM12 8v4l3 2',
  channel: 'M4 12 20 4l-5 16-4-6zM11 14l4-5',
  agent: 'M7 8h10v9H7zM12 8V5M10 12h.01M14 12h.01M4 12v3M20 12v3',
  tool: 'M14 6a4 4 0 0 0 5 5l-8 8a2 2 0 0 1-3-3l8-8zM14 6l3-1',
  plug: 'M9 4v5M15 4v5M7 9h10v3a5 5 0 0 1-10 0zM12 17v3',
  book: 'M5 5a2 2 0 0 1 2-2h12v16H7a2 2 0 0 0-2 2zM5 5v16',
  chart: 'M4 20h16M7 17v-6M12 17V6M17 17v-9',
  lock: 'M6 11h12v9H6zM9 11V8a3 3 0 0 1 6 0v3',
  pulse: 'M3 12h4l3-7 4 14 3-7h4',
  file: 'M7 3h7l4 4v14H7zM14 3v4h4M10 12h5M10 16h5',
  gear: 'M12 9a3 3 0 1 1 0 6 3 3 0 0 1 0-6zM12 3v3M12 18v3M3 12h3M18 12h3M5.6 5.6l2.2 2.2M16.2 16.2l2.2 2.2M5.6 18.4l2.2-2.2M16.2 7.8l2.2-2.2',
  plus: 'M12 5v14M5 12h14',
  search: 'M11 4a7 7 0 1 1 0 14 7 7 0 0 1 0-14zM16 16l4 4',
  menu: 'M4 7h16M4 12h16M4 17h16',
  close: 'M6 6l12 12M18 6 6 18',
  send: 'M12 19V5M6 11l6-6 6 6',
  stop: 'M7 7h10v10H7z',
  attach: 'M8 12l6-6a3 3 0 0 1 4 4l-8 8a5 5 0 0 1-7-7l7-7',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  check: 'M5 13l4 4L19 7',
  edit: 'M5 19l1-4L16 5l3 3L9 18zM14 7l3 3',
  trash: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13',
  fork: 'M7 4v10M7 20v-2M17 4v3a5 5 0 0 1-5 5H7M5 18h4M15 4h4',
  retry: 'M5 12a7 7 0 1 1 2 5M5 20v-4h4',
  play: 'M8 5l11 7-11 7z',
  pause: 'M8 5v14M16 5v14',
  down: 'M6 9l6 6 6-6',
  right: 'M9 6l6 6-6 6',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  warn: 'M12 4 3 20h18zM12 10v4M12 17h.01',
  question: 'M9 9a3 3 0 1 1 4 3c-1 .5-1 1-1 2M12 18h.01M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18z',
  undo: 'M9 7 5 11l4 4M5 11h9a5 5 0 0 1 0 10h-2',
  bell: 'M6 17h12l-1.5-2v-4a4.5 4.5 0 0 0-9 0v4zM10 20h4',
  download: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  folder: 'M3 6h6l2 2h10v11H3z',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
