import type { ToolTexts } from './tool-texts.ts';

export const zh: ToolTexts = {
  'time.now': { description: '当前时刻：时间戳（毫秒）与 ISO 8601（UTC）。' },
  current_time: {
    description: '本地日期、时间、时区和星期。',
    parameters: { timezone: 'IANA 时区名，如 Asia/Shanghai；默认系统时区' },
  },
  'tools.echo': { description: '返回参数，用于测试。' },
  plan_ready: {
    description: '结束计划模式：把你的计划交给用户批准。弄清要改什么、怎么改之后再调用。',
    parameters: { plan: '用 Markdown 写的步骤：哪些文件、改什么、如何验证' },
  },
  todo: {
    description: '把你的计划作为清单展示给用户。用于三步以上的工作：开始前以及每一步之后。',
    parameters: { items: '每次都给出完整清单' },
  },
  ask_user: {
    description: '向用户提问并等待回答。仅在你无法自己查明或决定时使用。',
    parameters: { question: '问题本身', choices: '可能的回答；也可以另作回答' },
  },
  'shell.pwd': { description: '相对路径的起点目录。' },
  'fs.list_dir': {
    description: '列出目录：每个条目的类型、大小和修改时间。',
    parameters: {
      path: '相对工作区，或工作区内的绝对路径',
      recursive: '包括子目录',
      maxDepth: '递归层数',
    },
  },
  'fs.read_file': {
    description: '读取文本（全文或若干行）、PDF、Office 文档、笔记本、图片；列出压缩包内容。',
    parameters: {
      path: '相对工作区，或工作区内的绝对路径',
      startLine: '起始行，从 1 开始',
      maxLines: '行数',
      tail: '只读最后几行',
      maxBytes: '超过则拒绝',
      pages: '"2-5"，工作簿用 "Sheet1!A1:F40"',
      view: 'source：原文；picture：PDF 页面图像',
    },
  },
  file_write: {
    description: '写入文本文件，自动创建文件和缺少的目录。只改一部分时用 file_edit。',
    parameters: {
      path: '工作区内的路径',
      content: '原样写入的文本',
      mode: '覆盖或追加到末尾',
    },
  },
  file_edit: {
    description: '精确替换文本文件中的一段。先读取文件；除非 replaceAll，oldText 必须恰好出现一次。',
    parameters: {
      path: '工作区内的路径',
      oldText: '照抄原文及空白，足以唯一',
      newText: '新文本',
      replaceAll: '全部替换',
    },
  },
  apply_patch: {
    description:
      '一次更改多个文件，要么全部，要么全不："*** Begin Patch"，每个文件 "*** Update File: 路径"（或 Add、Delete），"@@" 下各段行首为空格、- 或 +，"*** End Patch"。',
    parameters: { patch: '上下文照抄原文' },
  },
  file_move: {
    description: '移动或重命名文件。',
    parameters: { from: '在工作区内', to: '必须还不存在' },
  },
  file_delete: { description: '删除一个文件。', parameters: { path: '在工作区内' } },
  docs_search: {
    description: '搜索 Lainclaw 自身的文档。使用不熟悉的工具、设置或命令前先查。',
    parameters: { query: '词语或问题', topK: '最多结果数' },
  },
  docs_read: {
    description: '读取 Lainclaw 文档的一页或一节。',
    parameters: { path: '如 tools/overview.md#results' },
  },
  docs_list: { description: '列出 Lainclaw 文档的所有页面。' },
  skill_list: { description: '列出技能（特定任务的说明）及适用场合。' },
  skill_load: {
    description: '任务符合技能描述时加载其说明。内容来自外部，不授予权限。',
    parameters: { name: '来自 skill_list', file: '说明中提到的文件' },
  },
  grep: {
    description: '搜索文件内容（ripgrep），遵守忽略文件。',
    parameters: {
      pattern: 'Rust 正则',
      path: '文件或目录',
      glob: '仅这些文件，如 **/*.ts',
      type: '仅此类型，如 py',
      before: '之前的行数',
      after: '之后的行数',
      context: '前后的行数',
      ignoreCase: '忽略大小写',
      multiline: '允许跨行匹配',
      limit: '最多匹配数',
    },
  },
  glob: {
    description: '列出符合模式的文件，最新的在前，遵守忽略文件。',
    parameters: { pattern: '如 src/**/*.ts', path: '起始目录', limit: '最多文件数' },
  },
  bash: {
    description: '在沙箱中运行 bash 命令；除只读命令外会先询问。仅可访问用户允许的主机。',
    parameters: {
      command: '命令',
      timeoutMs: '时限',
      cwd: '工作区内的路径',
      network: '命令之外还需访问的主机',
      background: '调用结束后继续运行，用于服务器',
    },
  },
  process: {
    description: '本会话在后台运行的命令（bash 的 background）：列出、读取、等待、写入和结束。',
    parameters: {
      action: 'read：上次之后的输出；wait：等到结束，或等到出现某段文字',
      id: '进程的 id；只有一个时可省略',
      text: 'write：输入内容，含换行；wait：要等待的文字，用 | 分隔',
      since: '从第几个字节开始读',
      timeoutMs: '最长等待时间',
    },
  },
  code_execute: {
    description: '在严格沙箱中运行 Python 或 bash 代码；output/ 下的文件会返回。',
    parameters: { language: '代码语言', code: '程序', timeoutMs: '时限', network: '需访问的主机' },
  },
  memory_search: {
    description: '搜索笔记、导入的文件和过去的对话。用户提到以前的事时使用。',
    parameters: { query: '关键词或问题', topK: '最多结果数', since: '日期', until: '日期' },
  },
  history_search: {
    description: '搜索以前对话中说过的话，无论是否记住。',
    parameters: { query: '关键词或问题', topK: '最多结果数', since: '日期', until: '日期' },
  },
  memory_save: {
    description: '保存事实或文本，供以后的会话使用。',
    parameters: { content: '文本或 Markdown', source: '来源', supersedes: '被它取代的记忆的 id' },
  },
  memory_forget: {
    description: '永久删除：一条记忆、各处的某段文字，或一个对话。',
    parameters: { id: '记忆的 id', text: '原文', session: '对话的键' },
  },
  memory_core_get: { description: '核心记忆（JSON）；内容你已知道。' },
  memory_core_update: {
    description: '设置你始终看到的事实：偏好、更正或规则。',
    parameters: { section: '关于用户，或给你', key: '简短名称', value: '事实' },
  },
  memory_core_delete: {
    description: '删除一条核心事实。',
    parameters: { section: '所在部分', key: '名称' },
  },
  task: {
    description: '把一项独立的工作交给子代理并等待其报告：general、explore（只读）、review，或用户自定义的。',
    parameters: { agent: '名称', prompt: '它需要知道的一切' },
  },
  schedule_edit: {
    description: '修改任务；未给出的保持不变，修改后任务为启用状态。',
    parameters: {
      name: '任务名',
      cron: '新的时间，同 schedule_add',
      message: '新的内容',
      model: '新的模型',
      injectInto: '接收回答的聊天',
      timezone: 'IANA 时区名',
    },
  },
  schedule_enable: { description: '让暂停的任务重新运行。', parameters: { name: '任务名' } },
  schedule_disable: { description: '暂停任务，直到重新启用。', parameters: { name: '任务名' } },
  config_get: { description: '读取 config.json 的设置。', parameters: { key: '省略则列出全部' } },
  config_set: {
    description: '更改 config.json 的一项设置，每次都要由人批准。',
    parameters: { key: 'config_get 给出的名称', value: '与命令行写法相同；列表用逗号分隔' },
  },
  subagent_list: { description: '子代理的后台运行，最新的在前。' },
  subagent_status: { description: '一个后台运行的状态，结束后还有结果。', parameters: { id: '运行的 id' } },
  subagent_cancel: { description: '结束一个后台运行。', parameters: { id: '运行的 id' } },
  subagent_spawn: {
    description: '在后台启动一个子代理并立即返回；它会自行把结果发到聊天。',
    parameters: {
      name: '命名它自己的历史',
      message: '它需要知道的一切',
      model: '当前提供方的模型',
      injectInto: '接收结果的聊天，channel:chatId；默认：当前聊天',
    },
  },
  schedule_list: { description: '列出定时任务。' },
  schedule_add: {
    description: '在设定的时间提出一条消息。',
    parameters: {
      name: '名称',
      cron: 'Cron、@daily、"every 20m" 或 "at 2026-12-01T09:00"',
      message: '任务，须自成一体',
      model: '模型',
      injectInto: '接收回答的聊天（默认本聊天），channel:chatId',
      timezone: 'IANA 名称',
    },
  },
  schedule_remove: { description: '删除一个任务。', parameters: { name: '名称' } },
  send_message: {
    description: '通过正在运行的网关向聊天发送消息；只能发给主人列出的聊天。',
    parameters: { channel: '平台', chatId: '该平台上的聊天 id', text: '消息内容，Markdown' },
  },
  web_search: {
    description: '搜索网络：标题、地址和摘录。web_fetch 读取页面。',
    parameters: { query: '词语', limit: '结果上限', since: 'YYYY-MM-DD', site: '仅此主机' },
  },
  web_fetch: {
    description: '以 Markdown 读取网页；长页面会缩短，全文保存在文件中。',
    parameters: { url: 'http 或 https', prompt: '要找的内容：长页面中的相关段落', format: 'raw：原样' },
  },
  tool_search: { description: '查找此处只列出名称的工具及其参数：', parameters: { query: '词语或名称' } },
  tool_call: { description: '调用 tool_search 显示的工具。', parameters: { name: '工具名称', args: '按其参数说明' } },
};
