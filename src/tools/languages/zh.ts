import type { ToolTexts } from './language.ts';

export const zh: ToolTexts = {
  'time.now': { description: '当前时刻：时间戳（毫秒）与 ISO 8601（UTC）。' },
  current_time: {
    description: '本地日期、时间、时区和星期。',
    parameters: { timezone: 'IANA 时区名，如 Asia/Shanghai；默认为系统时区' },
  },
  'tools.echo': { description: '原样返回参数，用于测试。' },
  'shell.pwd': { description: '当前工作目录，相对路径以它为起点。' },
  'fs.list_dir': {
    description: '列出工作区中的目录：每个条目的类型、大小和修改时间。',
    parameters: {
      path: '目录，相对于工作区的路径，或工作区内的绝对路径',
      recursive: '同时列出子目录',
      maxDepth: '递归时向下的层数',
    },
  },
  'fs.read_file': {
    description: '读取工作区中的文本文件，可读全文或指定行范围。',
    parameters: {
      path: '文件，相对于工作区的路径，或工作区内的绝对路径',
      startLine: '起始行，从 1 开始',
      maxLines: '行数',
      maxBytes: '超过此字节数则拒绝',
    },
  },
};
