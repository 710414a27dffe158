// The documentation is in English; people ask in Chinese and Russian too. This lexicon gives the English words for the words of
// its subjects: Chinese by what a question contains, Russian by how its words begin.

/** English words, then Chinese ones, then beginnings of Russian ones. */
const ROWS: readonly (readonly [english: string, chinese: string, russian: string])[] = [
  ['gateway', '网关', 'шлюз'],
  ['stop', '停止 停掉 停下 关闭 关掉 结束', 'останов остановк прекрат завершит выключ'],
  ['start', '启动 开启 开始 运行起来', 'запуст запуск стартов начат'],
  ['restart', '重启 重新启动', 'перезапус'],
  ['status', '状态', 'состояни статус'],
  ['service daemon', '服务 后台服务 守护', 'служб сервис демон'],
  ['background', '后台', 'фон фоном фонов'],
  ['install', '安装', 'установ инсталл'],
  ['remove', '删除 移除 去掉', 'удал убрат'],
  ['forget', '忘记 忘掉 遗忘', 'забыт забуд'],
  ['upgrade update', '升级 更新', 'обнов'],
  ['setup', '设置向导 初始设置 配置向导', 'настройщик первоначальн'],
  ['setting config', '配置 设置 选项', 'настро конфиг параметр'],
  ['model', '模型', 'модел'],
  ['provider', '提供商 供应商', 'провайдер поставщик'],
  ['connect', '连接 接入 对接', 'подключ соедин'],
  ['key', '密钥 钥匙 令牌', 'ключ'],
  ['token', '令牌 词元', 'токен'],
  ['sign login', '登录 登陆 授权', 'войти вход логин авториз'],
  ['chat', '聊天 对话', 'чат'],
  ['conversation session', '会话 对话', 'сесси разговор беседа диалог'],
  ['history', '历史 记录', 'истори'],
  ['summary compact', '摘要 总结 压缩', 'сводк сжат резюм'],
  ['context window', '上下文', 'контекст окно'],
  ['memory', '记忆 内存', 'памят'],
  ['core', '核心', 'основн ядро'],
  ['save', '保存 记住', 'сохран запомн'],
  ['search', '搜索 查找 检索 查询', 'поиск найти искать ищ'],
  ['import', '导入', 'импорт'],
  ['export', '导出', 'экспорт выгруз'],
  ['embedding', '向量 嵌入 语义', 'вектор эмбеддинг смысл'],
  ['tool', '工具', 'инструмент'],
  ['call invoke', '调用', 'вызов вызва вызыв'],
  ['permission', '权限 许可 授权 批准', 'разреш прав'],
  ['approve', '批准 同意 审批', 'одобр подтверд'],
  ['rule', '规则', 'правил'],
  ['deny refuse', '拒绝 禁止', 'запрет отказ запрещ'],
  ['allow', '允许 放行', 'разреш позвол'],
  ['always', '总是 永远 一直', 'всегда'],
  ['sandbox', '沙箱 沙盒 隔离', 'песочниц изоляц'],
  ['network', '网络 联网 上网', 'сеть сети сетев интернет'],
  ['command', '命令 指令', 'команд'],
  ['shell bash', '终端命令 脚本 壳', 'оболочк шелл баш'],
  ['terminal', '终端', 'терминал'],
  ['code execute', '执行代码 运行代码 代码执行', 'исполн выполн код'],
  ['file', '文件', 'файл'],
  ['folder directory', '文件夹 目录', 'папк каталог директор'],
  ['workspace', '工作区 工作目录', 'рабоч'],
  ['read', '读取 阅读 查看', 'прочит читат чтени'],
  ['write', '写入 写文件', 'записат записыв запись'],
  ['edit', '编辑 修改', 'редактир правк измен'],
  ['undo', '撤销 撤回 还原 恢复', 'отмен откат вернут'],
  ['diff', '差异 对比', 'различ разниц'],
  ['schedule job', '定时 计划 任务 日程', 'расписан задани планиров'],
  ['cron', '定时', 'крон'],
  ['every', '每天 每日 每周 每小时 每月', 'кажд ежедневн еженедельн ежечасн'],
  ['pause', '暂停', 'приостанов пауз'],
  ['resume', '恢复 继续', 'возобнов продолж'],
  ['run', '运行 执行', 'выполн запуск прогон'],
  ['missed misfire late', '错过 漏掉', 'пропущ опозда'],
  ['timezone', '时区', 'часов'],
  ['time', '时间', 'время времени'],
  ['agent', '代理 智能体', 'агент'],
  ['sub-agent subagent', '子代理 子智能体', 'субагент подагент'],
  ['skill', '技能', 'навык умени'],
  ['documentation docs', '文档', 'документац справк'],
  ['instruction', '指令 说明 指示', 'инструкц указан'],
  ['trust', '信任', 'довер'],
  ['taint outside content', '污染 外部内容', 'заражен помечен внешн'],
  ['security', '安全', 'безопасн'],
  ['pairing', '配对', 'сопряж привяз'],
  ['code', '代码 配对码', 'код'],
  ['owner', '主人 所有者', 'владел хозяин'],
  ['person people', '用户 人员 陌生人', 'человек люд пользовател'],
  ['group', '群 群组 群聊', 'групп'],
  ['message', '消息 信息', 'сообщен'],
  ['send', '发送 发消息', 'отправ послат присла'],
  ['bot', '机器人', 'бот'],
  ['telegram', '电报', 'телеграм'],
  ['feishu lark', '飞书', 'фейшу'],
  ['channel', '频道 渠道 通道', 'канал'],
  ['attachment picture', '附件 图片 照片', 'вложен картин изображ фото'],
  ['language', '语言 中文 俄语', 'язык'],
  ['completion', '补全', 'автодополн дополнен'],
  ['server', '服务器', 'сервер'],
  ['mcp', '协议', 'протокол'],
  ['address', '地址', 'адрес'],
  ['port', '端口', 'порт'],
  ['error', '错误 报错 出错', 'ошибк'],
  ['fail', '失败', 'сбой неудач провал'],
  ['retry', '重试', 'повтор'],
  ['limit', '限制 上限', 'ограничен лимит предел'],
  ['step', '步骤 步数', 'шаг'],
  ['cost', '费用 花费 成本 价格', 'стоимост цена затрат расход'],
  ['budget cap', '预算 限额', 'бюджет'],
  ['log', '日志', 'лог журнал'],
  ['doctor check', '诊断 检查 体检', 'диагност проверк провер'],
  ['delete', '删除', 'удал стереть'],
  ['title rename', '标题 重命名 改名', 'назван переимен заголов'],
  ['fork', '分叉 分支', 'ветк ответв'],
  ['rewind', '倒回 回退', 'перемот назад'],
  ['replay', '重放 回放', 'воспроизв'],
  ['home', '主目录 家目录', 'домашн'],
  ['environment variable', '环境变量', 'переменн окружен'],
  ['heartbeat', '心跳', 'пульс'],
  ['plugin library', '插件 库', 'плагин библиотек'],
  ['operation', '操作', 'операц'],
  ['keyboard key', '按键 快捷键', 'клавиш'],
  ['change', '更改 改变 切换 更换', 'смен измен поменя переключ'],
  ['choose', '选择', 'выбрат выбор'],
  ['list', '列出 列表', 'список перечисл'],
  ['show', '显示 查看', 'показ посмотр'],
  ['think effort', '思考', 'думат размышл мышлен'],
  ['offline', '离线', 'офлайн автономн'],
  ['proxy', '代理服务器', 'прокси'],
  ['database', '数据库', 'базы база данных'],
  ['architecture', '架构', 'архитектур'],
  ['glossary', '术语', 'термин глоссар'],
];

const CHINESE = ROWS.flatMap(([english, chinese]) => chinese.split(' ').map((word) => ({ word, english })));
const RUSSIAN = ROWS.flatMap(([english, , russian]) => russian.split(' ').map((word) => ({ word, english })));
const SHORTEST_PREFIX = 4;
const CYRILLIC = /[\p{Script=Cyrillic}]+/gu;
const HAN = /\p{Script=Han}/u;

/** English words for the Chinese and Russian ones in a question, each once. */
export function englishFor(query: string): string[] {
  const text = query.normalize('NFKC').toLowerCase().replaceAll('ё', 'е');
  const found = [...(HAN.test(text) ? chineseIn(text) : []), ...russianIn(text)];
  return [...new Set(found.flatMap((english) => english.split(' ')))];
}

/** A word inside a longer one that is there does not count: 代理 in 子代理. */
function chineseIn(text: string): string[] {
  const there = CHINESE.filter(({ word }) => text.includes(word));
  return there
    .filter(({ word }) => !there.some((other) => other.word.length > word.length && covers(other.word, word, text)))
    .map(({ english }) => english);
}

function covers(longer: string, word: string, text: string): boolean {
  return longer.includes(word) && !text.replaceAll(longer, ' ').includes(word);
}

function russianIn(text: string): string[] {
  return (text.match(CYRILLIC) ?? []).flatMap((asked) => {
    const matching = RUSSIAN.filter(({ word }) =>
      word.length >= SHORTEST_PREFIX ? asked.startsWith(word) : isFormOf(asked, word),
    );
    const longest = Math.max(0, ...matching.map(({ word }) => word.length));
    return matching.filter(({ word }) => word.length === longest).map(({ english }) => english);
  });
}

/** A short word only with an ending of at most two letters: `бот` is not `ботаника`. */
function isFormOf(asked: string, word: string): boolean {
  return asked.startsWith(word) && asked.length - word.length <= 2;
}
