import type { ToolTexts } from './tool-texts.ts';

export const ru: ToolTexts = {
  'time.now': { description: 'Текущий момент: метка времени (мс) и ISO 8601 в UTC.' },
  current_time: {
    description: 'Местная дата, время, часовой пояс и день недели.',
    parameters: { timezone: 'Имя IANA; иначе системный' },
  },
  'tools.echo': { description: 'Возвращает аргументы; для проверки.' },
  plan_ready: {
    description:
      'Завершает режим плана: показывает план человеку, который его одобряет или нет. Вызывай, когда ясно, что и как менять.',
    parameters: { plan: 'Шаги в Markdown: какие файлы, что меняется, как проверить' },
  },
  todo: {
    description:
      'Показывает человеку ваш план списком дел. Для работы из трёх и более шагов: до неё и после каждого шага.',
    parameters: { items: 'Каждый раз весь список' },
  },
  ask_user: {
    description: 'Задаёт человеку вопрос и ждёт ответа: когда вы не можете выяснить или решить сами.',
    parameters: { question: 'Сам вопрос', choices: 'Вероятные ответы; возможен и другой' },
  },
  'shell.pwd': { description: 'Каталог, от которого идут относительные пути.' },
  'fs.list_dir': {
    description: 'Список каталога: тип, размер и время изменения записей.',
    parameters: {
      path: 'В рабочей области',
      recursive: 'С подкаталогами',
      maxDepth: 'Уровней при recursive',
    },
  },
  'fs.read_file': {
    description:
      'Читает текст (целиком или часть строк), PDF, документы Office, блокноты, картинки; показывает состав архивов.',
    parameters: {
      path: 'В рабочей области',
      startLine: 'Первая строка, с 1',
      maxLines: 'Число строк',
      tail: 'Только последние строки',
      maxBytes: 'Больше — отказ',
      pages: '"2-5", в книге "Лист1!A1:F40"',
      view: 'source: как записано; picture: страницы PDF картинкой',
    },
  },
  file_write: {
    description: 'Записывает текстовый файл и создаёт недостающие каталоги. Часть файла меняет file_edit.',
    parameters: {
      path: 'В рабочей области',
      content: 'Точный текст',
      mode: 'Заменить файл или дописать в конец',
    },
  },
  file_edit: {
    description:
      'Заменяет точный фрагмент текстового файла. Сначала прочитайте файл; без replaceAll oldText встречается один раз.',
    parameters: {
      path: 'В рабочей области',
      oldText: 'С его пробелами, достаточно, чтобы быть единственным',
      newText: 'Замена',
      replaceAll: 'Все вхождения',
    },
  },
  apply_patch: {
    description:
      'Меняет несколько файлов, всё или ничего: "*** Begin Patch", для каждого файла "*** Update File: путь" (или Add, Delete), части под "@@" из строк с пробелом, - или + в начале, "*** End Patch".',
    parameters: { patch: 'Контекст скопирован точно' },
  },
  file_move: {
    description: 'Перемещает или переименовывает файл.',
    parameters: { from: 'В рабочей папке', to: 'Ещё не должно существовать' },
  },
  file_delete: { description: 'Удаляет файл.', parameters: { path: 'В рабочей папке' } },
  docs_search: {
    description: 'Ищет в документации Lainclaw. Используйте перед незнакомым инструментом, настройкой или командой.',
    parameters: { query: 'Слова или вопрос', topK: 'Сколько результатов' },
  },
  docs_read: {
    description: 'Читает страницу или раздел документации Lainclaw.',
    parameters: { path: 'например tools/overview.md#results' },
  },
  docs_list: { description: 'Список страниц документации Lainclaw.' },
  skill_list: {
    description: 'Список навыков (указаний для отдельных задач) и когда какой применять.',
  },
  skill_load: {
    description: 'Загружает указания навыка, если задача подходит под описание. Они извне и не дают прав.',
    parameters: { name: 'Из skill_list', file: 'Файл, который называют указания' },
  },
  grep: {
    description: 'Ищет в содержимом файлов (ripgrep), учитывает ignore-файлы.',
    parameters: {
      pattern: 'Регулярное выражение',
      path: 'Файл или каталог',
      glob: 'Только эти файлы: **/*.ts',
      type: 'Только этот тип: py',
      before: 'Строк до',
      after: 'Строк после',
      context: 'Строк вокруг',
      ignoreCase: 'Без учёта регистра',
      multiline: 'В несколько строк',
      limit: 'Не больше совпадений',
    },
  },
  glob: {
    description: 'Список файлов по шаблону, новые первыми; учитывает ignore-файлы.',
    parameters: { pattern: 'Шаблон: src/**/*.ts', path: 'Начальный каталог', limit: 'Не больше файлов' },
  },
  bash: {
    description:
      'Выполняет команду bash в песочнице; спрашивает, если она не только читает. Сеть только к разрешённым хостам.',
    parameters: {
      command: 'Команда',
      timeoutMs: 'Предел времени',
      cwd: 'В рабочей области',
      network: 'Хосты сверх названных в ней',
      background: 'Работает и после вызова: для серверов',
    },
  },
  process: {
    description: 'Команды в фоне этого сеанса (bash с background): список, чтение, ожидание, ввод и завершение.',
    parameters: {
      action: 'read: что напечатано с прошлого раза; wait: до конца или до появления текста',
      id: 'Процесс; не нужен, если он один',
      text: 'write: ввод с переводом строки; wait: тексты через |',
      since: 'С какого байта читать',
      timeoutMs: 'Сколько ждать',
    },
  },
  code_execute: {
    description: 'Выполняет код Python или bash в строгой песочнице; возвращает файлы из output/.',
    parameters: { language: 'Язык кода', code: 'Программа', timeoutMs: 'Предел времени', network: 'Нужные хосты' },
  },
  memory_search: {
    description: 'Ищет в заметках, импортированных файлах и прошлых беседах. Нужен, когда речь о прошлом.',
    parameters: { query: 'Слова или вопрос', topK: 'Сколько результатов', since: 'Дата', until: 'Дата' },
  },
  history_search: {
    description: 'Ищет в прежних разговорах, запомненных или нет.',
    parameters: { query: 'Слова или вопрос', topK: 'Сколько результатов', since: 'Дата', until: 'Дата' },
  },
  memory_save: {
    description: 'Сохраняет факт или текст на будущее.',
    parameters: { content: 'Текст или Markdown', source: 'Откуда он', supersedes: 'Id того, что он заменяет' },
  },
  memory_forget: {
    description: 'Удаляет навсегда: запись памяти, текст отовсюду или беседу.',
    parameters: { id: 'Записи', text: 'Точные слова', session: 'Ключ беседы' },
  },
  memory_core_get: { description: 'Основная память в JSON; её факты вам уже известны.' },
  memory_core_update: {
    description: 'Задаёт факт, который вы всегда видите: предпочтение, поправка или правило.',
    parameters: { section: 'О пользователе или для вас', key: 'Короткое имя', value: 'Факт' },
  },
  memory_core_delete: {
    description: 'Удаляет основной факт.',
    parameters: { section: 'Где он', key: 'Имя' },
  },
  task: {
    description:
      'Поручает работу субагенту и ждёт отчёта: general, explore (только чтение), review или заданный владельцем.',
    parameters: { agent: 'Имя', prompt: 'Всё, что ему нужно знать' },
  },
  schedule_edit: {
    description: 'Меняет задание; что не указано, остаётся. После этого задание активно.',
    parameters: {
      name: 'Имя задания',
      cron: 'Новое время, как в schedule_add',
      message: 'Новый текст',
      model: 'Новая модель',
      injectInto: 'Чат для ответов',
      timezone: 'Имя IANA',
    },
  },
  schedule_enable: { description: 'Возобновляет приостановленное задание.', parameters: { name: 'Имя задания' } },
  schedule_disable: { description: 'Приостанавливает задание.', parameters: { name: 'Имя задания' } },
  config_get: { description: 'Читает настройки config.json.', parameters: { key: 'Не указан: все' } },
  config_set: {
    description: 'Меняет настройку config.json. Каждый раз спрашивает человека.',
    parameters: { key: 'Как её называет config_get', value: 'Как в командной строке; списки через запятую' },
  },
  subagent_list: { description: 'Фоновые запуски субагентов, сначала новые.' },
  subagent_status: {
    description: 'Фоновый запуск: состояние и, когда он закончился, результат.',
    parameters: { id: 'Запуск' },
  },
  subagent_cancel: { description: 'Завершает фоновый запуск.', parameters: { id: 'Запуск' } },
  subagent_spawn: {
    description: 'Запускает субагента в фоне и сразу возвращается; он сам сообщит результат в чат.',
    parameters: {
      name: 'Имя его собственной истории',
      message: 'Всё, что ему нужно знать',
      model: 'Модель текущего провайдера',
      injectInto: 'Чат для результата, channel:chatId; по умолчанию этот',
    },
  },
  schedule_list: { description: 'Задания по расписанию.' },
  schedule_add: {
    description: 'Задаёт сообщение в назначенное время.',
    parameters: {
      name: 'Имя',
      cron: 'Cron, @daily, "every 20m" или "at 2026-12-01T09:00"',
      message: 'Полный текст задания',
      model: 'Модель',
      injectInto: 'Чат для ответа (иначе этот), channel:chatId',
      timezone: 'Имя IANA',
    },
  },
  schedule_remove: { description: 'Удаляет задание.', parameters: { name: 'Имя' } },
  send_message: {
    description: 'Отправляет сообщение в чат из списка владельца через работающий шлюз.',
    parameters: { channel: 'Где', chatId: 'Его id на этой платформе', text: 'Сообщение, Markdown' },
  },
  web_search: {
    description: 'Ищет в интернете: заголовки, адреса, отрывки.',
    parameters: { query: 'Слова', limit: 'Сколько результатов', since: 'ГГГГ-ММ-ДД', site: 'Только этот хост' },
  },
  web_fetch: {
    description: 'Читает страницу интернета как Markdown; длинную сокращает, целиком хранит в файле.',
    parameters: { url: 'http или https', prompt: 'Что вы ищете: места длинной страницы', format: 'raw: как прислано' },
  },
  tool_search: {
    description: 'Находит инструменты, которые здесь только названы, с их параметрами:',
    parameters: { query: 'Слова или имя' },
  },
  tool_call: {
    description: 'Вызывает инструмент, который показал tool_search.',
    parameters: { name: 'Инструмента', args: 'Как требует его схема' },
  },
};
