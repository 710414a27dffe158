// What tools answer in words, in each language. A tool that answers with data or with somebody's text has no line here.
import type { Language } from '../../config/settings.ts';

export interface Replies {
  agentStarted(name: string, id: string): string;
  agentShownBy(command: string): string;
  agentAnswersIn(chat: string): string;
  agentWaits: string;
  /** `runs`: the next ones, in the job's own time. */
  jobAdded(job: { name: string; meaning: string; runs: readonly string[]; timezone: string }): string;
  jobAnswersIn(chat: string): string;
  /** No chat gets them. */
  jobAnswersKept(name: string): string;
  jobWaits: string;
  /** `next`: ISO 8601, or null where it does not run. */
  jobChanged(name: string, status: string, next: string | null): string;
  removed(name: string): string;
  settingChanged(key: string): string;
  saved(id: string): string;
  alreadySaved(id: string): string;
  forgotten(name: string): string;
  queued(chat: string): string;
  created(path: string, bytes: number): string;
  edited(path: string, places: number): string;
  wrote(path: string, bytes: number, before: number): string;
  unchanged(path: string): string;
  patched(files: number, added: number, removed: number): string;
  moved(from: string, to: string): string;
  notAnswered: string;
  deleted(path: string, bytes: number): string;
  processRuns(id: string): string;
  /** Null: it was ended. */
  processEnded(exitCode: number | null): string;
  noProcesses: string;
}

const en: Replies = {
  agentStarted: (name, id) => `Started ${name} in the background (${id})`,
  agentShownBy: (command) => `"${command}" shows it`,
  agentAnswersIn: (chat) => `its result goes to ${chat}`,
  agentWaits: 'No gateway is running: it waits until one is started (lainclaw gateway start)',
  jobAdded: ({ name, meaning, runs, timezone }) =>
    `added ${name}: ${meaning} (${timezone}); next runs: ${runs.join(', ')}`,
  jobAnswersIn: (chat) => `answered in ${chat}`,
  jobAnswersKept: (name) =>
    `no chat gets the answers: "lainclaw schedule history ${name}" shows them, injectInto names a chat`,
  jobWaits:
    'No gateway is running, so nothing runs it yet: "lainclaw gateway start", or "lainclaw schedule run-due" from system cron',
  jobChanged: (name, status, next) => `${name}: ${status}${next === null ? '' : `, next run ${next}`}`,
  removed: (name) => `removed ${name}`,
  settingChanged: (key) => `changed ${key} in config.json; it applies from the next command or restart`,
  saved: (id) => `saved as ${id}`,
  alreadySaved: (id) => `already there as ${id}`,
  forgotten: (name) => (name === '' ? 'forgotten' : `forgot ${name}`),
  queued: (chat) => `queued for ${chat}`,
  created: (path, bytes) => `Created ${path} (${bytes} bytes).`,
  edited: (path, places) => `Edited ${path} in ${places === 1 ? '1 place' : `${places} places`}.`,
  wrote: (path, bytes, before) => `Wrote ${path}: ${bytes} bytes, ${before} before.`,
  unchanged: (path) => `${path} has exactly this content already: nothing was changed.`,
  patched: (files, added, removed) =>
    `Changed ${files === 1 ? '1 file' : `${files} files`} (+${added} −${removed}); undo takes it back as one.`,
  notAnswered:
    'Nobody answered. Choose what is safest and easiest to undo, say what you assumed, or stop here and name the question.',
  moved: (from, to) => `Moved ${from} to ${to}.`,
  deleted: (path, bytes) => `Deleted ${path} (${bytes} bytes); undo brings it back.`,
  processRuns: (id) =>
    `${id} runs in the background; the tool process reads it, waits for it, writes to it and ends it.`,
  processEnded: (exitCode) => (exitCode === null ? 'it was ended' : `it has ended with exit code ${exitCode}`),
  noProcesses: 'No command runs in the background of this session.',
};

const zh: Replies = {
  agentStarted: (name, id) => `已在后台启动 ${name}（${id}）`,
  agentShownBy: (command) => `用 "${command}" 查看`,
  agentAnswersIn: (chat) => `结果会发到 ${chat}`,
  agentWaits: '网关没有运行：它会等到网关启动（lainclaw gateway start）',
  jobAdded: ({ name, meaning, runs, timezone }) =>
    `已添加 ${name}：${meaning}（${timezone}）；接下来的运行：${runs.join('，')}`,
  jobAnswersIn: (chat) => `在 ${chat} 中回答`,
  jobAnswersKept: (name) => `回答不发送到任何聊天：用 "lainclaw schedule history ${name}" 查看，injectInto 可指定聊天`,
  jobWaits:
    '网关没有运行，所以暂时不会执行：请运行 "lainclaw gateway start"，或由系统 cron 调用 "lainclaw schedule run-due"',
  jobChanged: (name, status, next) => `${name}：${status}${next === null ? '' : `，下次运行 ${next}`}`,
  removed: (name) => `已删除 ${name}`,
  settingChanged: (key) => `已更改 config.json 中的 ${key}；下一条命令或重启后生效`,
  saved: (id) => `已保存为 ${id}`,
  alreadySaved: (id) => `已经存在：${id}`,
  forgotten: (name) => `已忘记 ${name}`.trim(),
  queued: (chat) => `已排队，将发送到 ${chat}`,
  created: (path, bytes) => `已创建 ${path}（${bytes} 字节）。`,
  edited: (path, places) => `已修改 ${path}，共 ${places} 处。`,
  wrote: (path, bytes, before) => `已写入 ${path}：${bytes} 字节，之前为 ${before} 字节。`,
  unchanged: (path) => `${path} 的内容已经完全相同：没有改动。`,
  patched: (files, added, removed) => `已更改 ${files} 个文件（+${added} −${removed}）；撤销会一次全部恢复。`,
  notAnswered: '没有人回答。请选择最稳妥、最容易撤销的做法并说明你的假设，或者停在这里并写明这个问题。',
  moved: (from, to) => `已将 ${from} 移动到 ${to}。`,
  deleted: (path, bytes) => `已删除 ${path}（${bytes} 字节）；撤销可以恢复。`,
  processRuns: (id) => `${id} 在后台运行；用 process 工具读取、等待、写入或结束它。`,
  processEnded: (exitCode) => (exitCode === null ? '已被结束' : `已结束，退出码 ${exitCode}`),
  noProcesses: '本会话没有在后台运行的命令。',
};

const ru: Replies = {
  agentStarted: (name, id) => `${name} запущен в фоне (${id})`,
  agentShownBy: (command) => `его показывает «${command}»`,
  agentAnswersIn: (chat) => `результат придёт в ${chat}`,
  agentWaits: 'Шлюз не запущен: агент ждёт его запуска (lainclaw gateway start)',
  jobAdded: ({ name, meaning, runs, timezone }) =>
    `задание ${name} добавлено: ${meaning} (${timezone}); следующие запуски: ${runs.join(', ')}`,
  jobAnswersIn: (chat) => `ответ придёт в ${chat}`,
  jobAnswersKept: (name) =>
    `ответы не уходят ни в один чат: их показывает «lainclaw schedule history ${name}», чат указывает injectInto`,
  jobWaits:
    'Шлюз не запущен, поэтому задание пока не выполняется: «lainclaw gateway start» или «lainclaw schedule run-due» из системного cron',
  jobChanged: (name, status, next) => `${name}: ${status}${next === null ? '' : `, следующий запуск ${next}`}`,
  removed: (name) => `${name} удалено`,
  settingChanged: (key) => `настройка ${key} изменена в config.json; действует со следующей команды или перезапуска`,
  saved: (id) => `сохранено как ${id}`,
  alreadySaved: (id) => `уже есть: ${id}`,
  forgotten: (name) => (name === '' ? 'забыто' : `забыто: ${name}`),
  queued: (chat) => `поставлено в очередь для ${chat}`,
  created: (path, bytes) => `Создан ${path} (байт: ${bytes}).`,
  edited: (path, places) => `Изменён ${path}, мест: ${places}.`,
  wrote: (path, bytes, before) => `Записан ${path}: байт ${bytes}, раньше ${before}.`,
  unchanged: (path) => `В ${path} уже ровно это содержимое: ничего не изменено.`,
  patched: (files, added, removed) => `Изменено файлов: ${files} (+${added} −${removed}); отмена вернёт всё сразу.`,
  notAnswered:
    'Никто не ответил. Выберите самое безопасное и легко отменяемое и скажите, что вы предположили, или остановитесь и назовите вопрос.',
  moved: (from, to) => `${from} перемещён: теперь это ${to}.`,
  deleted: (path, bytes) => `${path} удалён (${bytes} байт); отмена вернёт его.`,
  processRuns: (id) =>
    `${id} выполняется в фоне; инструмент process читает его вывод, ждёт, пишет ему и завершает его.`,
  processEnded: (exitCode) => (exitCode === null ? 'завершён принудительно' : `завершился с кодом ${exitCode}`),
  noProcesses: 'В фоне этого сеанса нет команд.',
};

const REPLIES: Record<Language, Replies> = { en, zh, ru };

/** In the configured language. */
export function repliesIn({ language = 'en' }: { language?: Language }): Replies {
  return REPLIES[language];
}
